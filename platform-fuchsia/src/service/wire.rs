//! The messages of `fuchsia.vulkan.loader/Loader`, as bytes.
//!
//! FIDL's wire format, version 2: a header of 16 bytes (transaction number, three bytes of flags of
//! which the first holds the version, a magic number, the method's ordinal), then the parameters,
//! little endian and padded with zeros to eight bytes. A handle appears as a marker in the bytes
//! and travels separately.
#![forbid(unsafe_code)]

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Requests a driver's library as executable memory.
    Get,
    /// Connects a channel to the folder of driver manifests.
    ConnectToManifestFs,
    /// Connects a channel to the folder of devices that drivers may open.
    ConnectToDeviceFs,
    /// Asks which of the methods the service has.
    GetSupportedFeatures,
    /// Requests the right to make memory executable, for the one driver that compiles at run time.
    #[allow(dead_code, reason = "that driver asks for it itself")]
    GetVmexResource,
}

impl Method {
    /// Returns the first eight bytes of the SHA-256 of `fuchsia.vulkan.loader/Loader.` and the
    /// method's name, without the highest bit.
    pub(crate) const fn ordinal(self) -> u64 {
        match self {
            Self::Get => 0x73db_bfb6_2e99_320a,
            Self::ConnectToManifestFs => 0x0454_d855_8778_81cc,
            Self::ConnectToDeviceFs => 0x11cd_633f_2f5f_f6d7,
            Self::GetSupportedFeatures => 0x381a_bfce_1728_92bd,
            Self::GetVmexResource => 0x71ae_a090_ffef_259b,
        }
    }
}

/// The features of the service: a set that later versions may extend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features(pub(crate) u32);

impl Features {
    /// [`Method::Get`], [`Method::ConnectToDeviceFs`] and [`Method::ConnectToManifestFs`].
    pub(crate) const NEEDED: u32 = 0x1 | 0x2 | 0x4;

    /// Returns the features that the loader needs and the service lacks.
    pub(crate) const fn missing(self) -> u32 {
        Self::NEEDED & !self.0
    }
}

/// For [`Method::ConnectToManifestFs`]: the folder answers once no driver is under examination.
const WAIT_FOR_IDLE: u32 = 0x1;

/// The length of the longest name that [`Method::Get`] accepts, in bytes.
pub(crate) const LONGEST_NAME: usize = 64;

const HEADER: usize = 16;
/// The length of every answer that the loader waits for.
pub(crate) const REPLY: usize = 24;
const MAGIC: u8 = 1;
/// This bit in the first byte of flags marks the version of the wire format, and has no other
/// meaning yet.
const VERSION_2: u8 = 0x02;
const PRESENT: u32 = u32::MAX;
/// Set in transaction numbers that the kernel assigned.
const FROM_KERNEL: u32 = 0x8000_0000;

pub(crate) struct Message {
    bytes: [u8; HEADER + 16 + LONGEST_NAME],
    length: usize,
}

impl Message {
    pub(crate) fn get_supported_features() -> Self {
        Self::new(Method::GetSupportedFeatures)
    }

    /// Asks for the library of this name; `None` if the name is longer than the protocol allows.
    pub(crate) fn get(name: &[u8]) -> Option<Self> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let mut message = Self::new(Method::Get);
        message.add(&(name.len() as u64).to_le_bytes());
        message.add(&u64::MAX.to_le_bytes());
        message.add(name);
        message.length = message.length.next_multiple_of(8);
        Some(message)
    }

    /// Passes the service one end of a channel for the manifests.
    pub(crate) fn connect_to_manifest_fs() -> Self {
        let mut message = Self::new(Method::ConnectToManifestFs);
        message.add(&WAIT_FOR_IDLE.to_le_bytes());
        message.add(&PRESENT.to_le_bytes());
        message
    }

    /// Passes the service one end of a channel for the devices.
    pub(crate) fn connect_to_device_fs() -> Self {
        let mut message = Self::new(Method::ConnectToDeviceFs);
        message.add(&PRESENT.to_le_bytes());
        message.add(&[0; 4]);
        message
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Creates a header with transaction number 0, which a call replaces and other messages keep.
    fn new(method: Method) -> Self {
        let mut message = Self { bytes: [0; HEADER + 16 + LONGEST_NAME], length: 0 };
        message.add(&[0, 0, 0, 0, VERSION_2, 0, 0, MAGIC]);
        message.add(&method.ordinal().to_le_bytes());
        message
    }

    fn add(&mut self, bytes: &[u8]) {
        let end = self.length.saturating_add(bytes.len());
        if let Some(room) = self.bytes.get_mut(self.length..end) {
            room.copy_from_slice(bytes);
            self.length = end;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// Its length does not fit an answer to this method.
    Length,
    /// Its header does not belong to this protocol, or has another version of the wire format.
    Header,
    Ordinal,
    Transaction,
    /// Bytes that must be 0 are not.
    Padding,
    /// The marker of a handle is neither of its two values.
    Marker,
    /// The number of handles differs from the markers in the bytes.
    Handles,
}

impl Malformed {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Length => "the answer has the wrong length",
            Self::Header => "the answer has a wrong header",
            Self::Ordinal => "the answer is to another question",
            Self::Transaction => "the answer is to no question",
            Self::Padding => "the answer has bytes where none may be",
            Self::Marker => "the answer has a wrong handle marker",
            Self::Handles => "the answer has another number of handles than it says",
        }
    }
}

/// Reads the answer to [`Method::GetSupportedFeatures`], which came with `handles` handles.
pub(crate) fn supported_features(reply: &[u8], handles: usize) -> Result<Features, Malformed> {
    let features = parameter(Method::GetSupportedFeatures, reply)?;
    if handles != 0 {
        return Err(Malformed::Handles);
    }
    Ok(Features(features))
}

/// Reads the answer to [`Method::Get`], which came with `handles` handles. Returns whether it
/// carries a library.
pub(crate) fn library(reply: &[u8], handles: usize) -> Result<bool, Malformed> {
    let is_present = match parameter(Method::Get, reply)? {
        0 => false,
        PRESENT => true,
        _ => return Err(Malformed::Marker),
    };
    if handles != usize::from(is_present) {
        return Err(Malformed::Handles);
    }
    Ok(is_present)
}

/// Returns the only parameter of an answer to `method`, four bytes.
///
/// A service's reason for closing the channel (an epitaph, whose transaction number is 0) never
/// gets here: the kernel gives a call only the answer with its own number, and reports
/// `ZX_ERR_PEER_CLOSED` instead of the epitaph.
fn parameter(method: Method, reply: &[u8]) -> Result<u32, Malformed> {
    let header = reply.first_chunk::<HEADER>().ok_or(Malformed::Length)?;
    let [t0, t1, t2, t3, version, _, dynamic, magic, ordinal @ ..] = *header;
    let ordinal = u64::from_le_bytes(ordinal);
    let parameters = reply.get(HEADER..).unwrap_or_default();
    if magic != MAGIC || version & VERSION_2 == 0 || dynamic != 0 {
        return Err(Malformed::Header);
    }
    let [p0, p1, p2, p3, padding @ ..] = parameters else { return Err(Malformed::Length) };
    let parameter = [*p0, *p1, *p2, *p3];
    if ordinal != method.ordinal() {
        return Err(Malformed::Ordinal);
    }
    if u32::from_le_bytes([t0, t1, t2, t3]) & FROM_KERNEL == 0 {
        return Err(Malformed::Transaction);
    }
    if reply.len() != REPLY {
        return Err(Malformed::Length);
    }
    if padding != [0; 4] {
        return Err(Malformed::Padding);
    }
    Ok(u32::from_le_bytes(parameter))
}
