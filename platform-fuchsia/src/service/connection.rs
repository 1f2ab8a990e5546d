//! The connection to the service: opened once per process and kept, since the service releases a
//! client's resources when its channel closes (RFC 205).

use core::fmt;

use super::wire::{self, Features, LONGEST_NAME, Malformed, Message, REPLY};
use crate::system::Handle;
use crate::system::{Descriptor, RawHandle, Received, Status, System};

/// The path of the service in a component's namespace.
const PATH: &core::ffi::CStr = c"/svc/fuchsia.vulkan.loader.Loader";

/// The number of handles in an answer above which the kernel refuses it. We refuse more than one
/// ourselves, with a reason.
const MOST_HANDLES: usize = 4;

/// The service, with everything that the loader needs of it.
pub(crate) struct Service {
    system: &'static dyn System,
    loader: Handle,
    devices: Handle,
    manifests: Descriptor,
}

impl Service {
    /// Connects to the service, checks its features, and requests the two folders.
    ///
    /// If a step fails, everything opened until then is closed. Connecting succeeds even if the
    /// service does not exist: the first call then finds the other end closed.
    pub(crate) fn connect(system: &'static dyn System) -> Result<Self, ServiceError> {
        let step = |step| move |status| ServiceError::Failed { step, status };
        let (loader, request) = system.create_channel().map_err(step(Step::Channel))?;
        system.connect(PATH, request).map_err(step(Step::Connect))?;
        let features = supported_features(system, loader.raw())?;
        if features.missing() != 0 {
            return Err(ServiceError::Lacks(features.missing()));
        }
        let (devices, request) = system.create_channel().map_err(step(Step::Channel))?;
        let message = Message::connect_to_device_fs();
        system.write_channel(loader.raw(), message.bytes(), request).map_err(step(Step::Devices))?;
        let (folder, request) = system.create_channel().map_err(step(Step::Channel))?;
        let message = Message::connect_to_manifest_fs();
        system.write_channel(loader.raw(), message.bytes(), request).map_err(step(Step::Manifests))?;
        let manifests = system.descriptor_of(folder).map_err(step(Step::Descriptor))?;
        Ok(Self { system, loader, devices, manifests })
    }

    pub(crate) const fn manifests(&self) -> Descriptor {
        self.manifests
    }

    /// Returns the folder of devices that drivers may open.
    pub(crate) const fn devices(&self) -> RawHandle {
        self.devices.raw()
    }

    /// Returns the library named in a manifest, as executable memory; `None` if the service lacks
    /// it.
    pub(crate) fn library(&self, name: &[u8]) -> Result<Option<Handle>, ServiceError> {
        let message = Message::get(name).ok_or(ServiceError::NameTooLong)?;
        let answer = Answer::to(self.system, self.loader.raw(), &message)?;
        let is_present = wire::library(answer.bytes(), answer.handles()).map_err(ServiceError::Malformed)?;
        Ok(answer.into_first_handle().filter(|_| is_present))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.system.files().close(self.manifests);
    }
}

fn supported_features(system: &'static dyn System, loader: RawHandle) -> Result<Features, ServiceError> {
    let answer = Answer::to(system, loader, &Message::get_supported_features())?;
    wire::supported_features(answer.bytes(), answer.handles()).map_err(ServiceError::Malformed)
}

/// An answer of the service. Dropping it closes its handles, unless they were taken out.
struct Answer {
    bytes: [u8; REPLY],
    handles: [Option<Handle>; MOST_HANDLES],
    received: Received,
}

impl Answer {
    fn to(system: &'static dyn System, channel: RawHandle, message: &Message) -> Result<Self, ServiceError> {
        let mut bytes = [0; REPLY];
        let mut raw = [0; MOST_HANDLES];
        let received = system
            .call_channel(channel, message.bytes(), &mut bytes, &mut raw)
            .map_err(|status| ServiceError::Failed { step: Step::Call, status })?;
        let come = raw.get(..received.handles).unwrap_or(&raw);
        let handles = core::array::from_fn(|index| come.get(index).and_then(|raw| Handle::new(system, *raw)));
        Ok(Self { bytes, handles, received })
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.received.bytes).unwrap_or_default()
    }

    /// Returns the number of handles received; none of them is 0.
    fn handles(&self) -> usize {
        self.handles.iter().flatten().count()
    }

    fn into_first_handle(self) -> Option<Handle> {
        let [first, ..] = self.handles;
        first
    }
}

/// Why the service did not provide something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServiceError {
    Failed {
        step: Step,
        status: Status,
    },
    Lacks(u32),
    /// The service sent something that is not a valid answer.
    Malformed(Malformed),
    /// The name is too long for the protocol.
    NameTooLong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Channel,
    Connect,
    Call,
    Devices,
    Manifests,
    Descriptor,
}

impl Step {
    const fn words(self) -> &'static str {
        match self {
            Self::Channel => "no channel could be made",
            Self::Connect => "the loader service could not be reached",
            Self::Call => "the loader service did not answer",
            Self::Devices => "the loader service gave no access to devices",
            Self::Manifests => "the loader service gave no access to manifests",
            Self::Descriptor => "the folder of manifests could not be opened",
        }
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { step, status } => {
                write!(formatter, "{}: {} ({})", step.words(), status.words(), status.0)?;
                // This is the case if the component was not given the service.
                if (*step, *status) == (Step::Call, Status::PEER_CLOSED) {
                    formatter
                        .write_str("; the component's manifest must use fuchsia.vulkan.loader.Loader")?;
                }
                Ok(())
            }
            Self::Lacks(features) => write!(formatter, "the loader service lacks the features {features:#x}"),
            Self::Malformed(malformed) => formatter.write_str(malformed.words()),
            Self::NameTooLong => {
                write!(
                    formatter,
                    "the name is longer than the {LONGEST_NAME} bytes that the loader service takes"
                )
            }
        }
    }
}
