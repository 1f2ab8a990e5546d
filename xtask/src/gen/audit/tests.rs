use std::collections::BTreeSet;

use super::{carriers, check};
use crate::r#gen::definitions::Definitions;
use crate::r#gen::{model, order};

const REGISTRY: &str = r#"<registry>
    <types>
        <type category="define">#define <name>VK_HEADER_VERSION</name> 7</type>
        <type category="handle"><type>VK_DEFINE_HANDLE</type>(<name>VkQueue</name>)</type>
        <type category="funcpointer"><proto><type>void</type> <name>PFN_vkCalled</name></proto>
            <param><type>VkInstance</type> <name>instance</name></param></type>
        <type category="struct" name="VkInfo"><member><type>PFN_vkCalled</type> <name>call</name></member></type>
        <type category="struct" name="VkInfoKHR" alias="VkInfo"/>
        <type category="struct" name="VkChained" structextends="VkInfo">
            <member objecttype="type"><type>uint64_t</type> <name>any</name></member></type>
        <type category="struct" name="VkQueues"><member><type>VkQueue</type>* <name>all</name></member></type>
    </types>
    <commands>
        <command><proto><type>void</type> <name>vkShow</name></proto>
            <param><type>VkDevice</type> <name>device</name></param>
            <param><type>VkSurfaceKHR</type> <name>surface</name></param>
            <param>const <type>VkInfoKHR</type>* <name>info</name></param></command>
        <command><proto><type>void</type> <name>vkQueues</name></proto>
            <param><type>VkPhysicalDevice</type> <name>of</name></param>
            <param><type>VkQueues</type>* <name>written</name></param>
            <param>const <type>VkQueues</type>* <name>read</name></param>
            <param>const <type>VkQueue</type>* <name>also</name></param></command>
        <command><proto><type>void</type> <name>vkPlain</name></proto>
            <param><type>VkInstance</type> <name>instance</name></param></command>
        <command><proto><type>void</type> <name>vkNobodyHas</name></proto>
            <param><type>VkInstance</type> <name>instance</name></param></command>
    </commands>
    <feature api="vulkan" number="1.0" name="VK_VERSION_1_0"><require>
        <command name="vkShow"/><command name="vkQueues"/><command name="vkPlain"/>
    </require></feature>
</registry>"#;

#[test]
fn every_way_to_carry_a_handle_is_found() {
    let document = roxmltree::Document::parse(REGISTRY).unwrap();
    let registry = order::number(model::Registry::read(document.root_element()).unwrap());
    let found = carriers(&Definitions::read(document.root_element()).unwrap(), &registry).unwrap();
    let expected = [
        "vkPlain",
        "vkQueues: VkQueues.all",
        "vkShow: PFN_vkCalled.instance",
        "vkShow: VkChained.any",
        "vkShow: surface",
    ];
    assert_eq!(found, BTreeSet::from(expected.map(str::to_owned)));
}

/// Returns the audit's complaints about the registry with these additional types.
fn check_with(addition: &str) -> Option<String> {
    let text = REGISTRY.replace("</types>", &format!("{addition}</types>"));
    let document = roxmltree::Document::parse(&text).unwrap();
    let registry = order::number(model::Registry::read(document.root_element()).unwrap());
    check(&Definitions::read(document.root_element()).unwrap(), &registry)
        .err()
        .map(|failure| failure.to_string())
}

#[test]
fn an_unhandled_carrier_of_each_kind_fails() {
    let failure = check_with("").unwrap();
    assert!(failure.contains("\n  vkShow: surface") && !failure.contains("vkDestroyInstance"), "{failure}");
    for (addition, carrier) in [
        (
            "<type category='struct' name='VkNew' structextends='VkInfo'><member>const <type>VkDebugUtilsMessengerEXT</type>* <name>all</name></member></type>",
            "vkShow: VkNew.all",
        ),
        (
            "<type category='union' name='VkNew'><member><type>VkDebugReportCallbackEXT</type> <name>one</name>[4]</member></type><type category='struct' name='VkMore' structextends='VkInfo'><member><type>VkNew</type> <name>union</name></member></type>",
            "vkShow: VkNew.one",
        ),
        (
            "<type category='struct' name='VkNew' structextends='VkQueues'><member><type>VkObjectType</type> <name>kind</name></member><member><type>uint64_t</type> <name>what</name></member></type>",
            "vkQueues: VkNew.what",
        ),
        (
            "<type category='struct' name='VkNew' structextends='VkInfo'><member><type>VkQueue</type>* <name>made</name></member></type>",
            "vkShow: VkNew.made",
        ),
        (
            "<type category='struct' name='VkNew'><member><type>VkInstance</type> <name>alone</name></member></type>",
            "VkNew.alone",
        ),
    ] {
        let failure = check_with(addition).unwrap();
        assert!(
            failure.contains(&format!("\n  {carrier}\n")) || failure.ends_with(&format!("\n  {carrier}")),
            "{failure}"
        );
    }
    let failure =
        check_with("<type category='handle'><type>VK_DEFINE_HANDLE</type>(<name>VkLane</name>)</type>");
    assert!(failure.unwrap().contains("VkLane has no preparation"));
}

#[test]
fn a_messenger_in_a_new_structure_of_the_registry_stops_the_generator() {
    let Some(text) = crate::r#gen::registry_beside_the_repository() else { return };
    let generated = |text: &str| crate::r#gen::generate(text).err().map(|failure| failure.to_string());
    assert_eq!(generated(&text), None);
    for (more, carrier) in
        [(" structextends=\"VkSubmitInfo\"", "vkQueueSubmit: VkNewEXT.listener"), ("", "VkNewEXT.listener")]
    {
        let new = format!(
            "<type category=\"struct\" name=\"VkNewEXT\"{more}><member><type>VkDebugUtilsMessengerEXT</type> <name>listener</name></member></type></types>"
        );
        let failure = generated(&text.replacen("</types>", &new, 1));
        assert_eq!(
            failure.unwrap(),
            format!("xtask/src/gen/handled.tsv does not handle these carriers:\n  {carrier}")
        );
    }
}
