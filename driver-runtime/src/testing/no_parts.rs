/// The items of a driver without parts of its own, for a file that imports their types.
macro_rules! no_parts {
    () => {
        type Instance = ();
        type PhysicalDevice = ();
        type Device = ();
        type Queue = ();
        fn api_version() -> u32 {
            vk::API_VERSION_1_3
        }
        fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
            Ok(())
        }
        fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
            Ok(())
        }
        fn create_queue(_: &Device<Self>, _: QueueInfo) -> Result<(), CreateDeviceError> {
            Ok(())
        }
    };
}
pub(crate) use no_parts;
