//! Handles and the objects behind them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::RawHandle;

use super::memory::Content;

/// The object behind a handle of the process.
#[derive(Clone)]
pub(crate) enum Object {
    Channel(usize),
    Memory(Arc<Content>),
}

/// The server at the other end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Loader,
    Manifests,
    Devices,
    /// A server that never answers.
    Nobody,
}

/// The ledger of handles, and the servers of the channels.
#[derive(Default)]
pub(crate) struct Kernel {
    handles: BTreeMap<RawHandle, Object>,
    last: RawHandle,
    channels: usize,
    servers: BTreeMap<usize, Server>,
    /// The paths below the folder of devices that were connected to.
    pub(crate) devices_opened: Vec<String>,
}

impl Kernel {
    pub(crate) fn add(&mut self, object: Object) -> RawHandle {
        self.last += 1;
        self.handles.insert(self.last, object);
        self.last
    }

    pub(crate) fn create_channel(&mut self) -> (RawHandle, RawHandle) {
        self.channels += 1;
        let channel = self.channels;
        (self.add(Object::Channel(channel)), self.add(Object::Channel(channel)))
    }

    /// Closes a handle, and panics if it is not open: that is a mistake of the caller.
    pub(crate) fn close(&mut self, handle: RawHandle) {
        assert!(self.handles.remove(&handle).is_some(), "handle {handle} is closed twice");
    }

    /// Moves a handle out of the process.
    pub(crate) fn take(&mut self, handle: RawHandle) -> Option<Object> {
        self.handles.remove(&handle)
    }

    /// Moves the handle, one end of a channel, to `server`.
    pub(crate) fn serve(&mut self, handle: RawHandle, server: Server) {
        let object = self.take(handle);
        self.serve_object(object.as_ref(), server);
    }

    pub(crate) fn serve_object(&mut self, object: Option<&Object>, server: Server) {
        match object {
            Some(Object::Channel(channel)) => drop(self.servers.insert(*channel, server)),
            _ => panic!("it is no channel"),
        }
    }

    /// Returns the server at the other end of the channel behind this handle.
    pub(crate) fn server(&self, handle: RawHandle) -> Option<Server> {
        match self.handles.get(&handle)? {
            Object::Channel(channel) => self.servers.get(channel).copied(),
            Object::Memory(_) => None,
        }
    }

    pub(crate) fn memory(&self, handle: RawHandle) -> Option<Arc<Content>> {
        match self.handles.get(&handle)? {
            Object::Memory(content) => Some(Arc::clone(content)),
            Object::Channel(_) => None,
        }
    }

    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let kind = |object: &Object| match object {
            Object::Memory(_) => "memory",
            Object::Channel(channel) => match self.servers.get(channel) {
                Some(Server::Loader) => "loader",
                Some(Server::Manifests) => "manifests",
                Some(Server::Devices) => "devices",
                Some(Server::Nobody) => "somebody",
                None => "channel",
            },
        };
        self.handles.values().map(kind).collect()
    }
}
