//! Options that do not count, and when those that do begin to.

use super::Application;

#[test]
fn r120_options_with_a_mistake_change_nothing_and_are_reported() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application.configure(r#"{"layers": ["VK_LAYER_a"], "layer_folders": ["/libs"]}"#).unwrap();
    let said = application.configure(r#"{"layres": []}"#).unwrap_err();
    assert!(said.contains("layres"), "{said}");
    assert!(application.report(0).contains("The last options do not count"));
    assert!(application.report(0).contains("VK_LAYER_a (/libs/libVkLayer_a.so): active"));
    application.configure("{}").unwrap();
    assert!(!application.report(0).contains("do not count"));
    assert!(!application.report(0).contains("VK_LAYER_a"));
}

#[test]
fn r120_the_environment_of_the_options_is_read_before_that_of_the_process() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application.android().change().variables.insert("VK_LOADER_LAYERS_ENABLE".into(), "*".into());
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    assert!(application.report(0).contains("VK_LAYER_a (/libs/libVkLayer_a.so): active"));
    application
        .configure(r#"{"layer_folders": ["/libs"], "environment": {"VK_LOADER_LAYERS_ENABLE": ""}}"#)
        .unwrap();
    assert!(application.report(0).contains("VK_LAYER_a (/libs/libVkLayer_a.so): can be used"));
}
