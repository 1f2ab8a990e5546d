use super::*;

#[test]
fn programs_with_a_file_of_a_gpu_are_found() {
    let root = tempfile::tempdir().unwrap();
    for (process, name, file) in [
        ("7", "game\n", "/dev/dri/renderD129"),
        ("8", "compositor\n", "/dev/dri/renderD128"),
        ("9", "cuda\n", "/dev/nvidia1"),
        ("self", "game\n", "/dev/dri/renderD129"),
    ] {
        let folder = root.path().join("proc").join(process);
        fs::create_dir_all(folder.join("fd")).unwrap();
        fs::write(folder.join("comm"), name).unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.join("fd/0")).unwrap();
        std::os::unix::fs::symlink(file, folder.join("fd/1")).unwrap();
    }
    let nvidia = root.path().join("proc/driver/nvidia/gpus/0000:01:00.0");
    fs::create_dir_all(&nvidia).unwrap();
    fs::write(nvidia.join("information"), "Model: \t X\nDevice Minor: \t 1\n").unwrap();
    let nodes = vec!["card1".to_owned(), "renderD129".to_owned()];
    let gpu = Gpu { address: "0000:01:00.0".to_owned(), nodes, ..Gpu::default() };
    assert_eq!(holders(root.path(), &gpu), [(7, "game".to_owned()), (9, "cuda".to_owned())]);
}

#[test]
fn the_kernel_says_whether_a_device_sleeps() {
    let root = tempfile::tempdir().unwrap();
    let device = root.path().join("sys/bus/pci/devices/0000:01:00.0");
    fs::create_dir_all(device.join("power")).unwrap();
    assert_eq!(power(root.path(), "0000:02:00.0"), "");
    fs::write(device.join("power/runtime_status"), "active\n").unwrap();
    fs::write(device.join("power_state"), "D0\n").unwrap();
    assert_eq!(power(root.path(), "0000:01:00.0"), "active");
    fs::write(device.join("power/runtime_status"), "suspended\n").unwrap();
    fs::write(device.join("power_state"), "D3cold\n").unwrap();
    assert_eq!(power(root.path(), "0000:01:00.0"), "suspended (D3cold)");
}
