//! The generator's model of `vk.xml`: the API named `vulkan`, without the parts that only other APIs or no API provides.

use std::collections::BTreeMap;

use roxmltree::Node;

use crate::Failure;

const API: &str = "vulkan";

pub(super) struct Registry {
    /// The patch number of the header, as 366 in 1.4.366.
    pub(super) header_patch: u32,
    /// The highest minor version of Vulkan 1 that the registry defines.
    pub(super) newest_minor: u8,
    /// In registry order: core features in file order, then extensions by number.
    pub(super) commands: Vec<Command>,
    pub(super) extensions: Vec<Extension>,
}

pub(super) struct Command {
    pub(super) name: String,
    /// The type of the first parameter, without pointer and const.
    pub(super) first_parameter: String,
    /// The minor version of Vulkan 1 that made it core.
    pub(super) core: Option<u8>,
    pub(super) alias_of: Option<String>,
    pub(super) providers: Vec<String>,
}

pub(super) struct Extension {
    pub(super) name: String,
    pub(super) number: u16,
    pub(super) instance: bool,
    pub(super) spec_version: u32,
    pub(super) platform: Option<String>,
}

impl Registry {
    pub(super) fn read<'a>(root: Node<'a, 'a>) -> Result<Self, Failure> {
        let declarations = declarations(root);
        let header_patch = header_patch(root)?;
        let mut registry =
            Self { header_patch, newest_minor: 0, commands: Vec::new(), extensions: Vec::new() };
        let mut index = BTreeMap::new();
        let mut nodes: Vec<Node> = providers(root).collect();
        // Core versions come first, in their order.
        nodes.sort_by_key(|node| {
            node.attribute("number").filter(|_| node.has_tag_name("extension"))?.parse::<u16>().ok()
        });
        for node in nodes {
            let extension = if node.has_tag_name("extension") { Some(Extension::read(node)?) } else { None };
            // A version may be spread over several features (base, compute, graphics); the number counts, not the name.
            let core = if extension.is_none() { Some(minor(node)?) } else { None };
            registry.newest_minor = registry.newest_minor.max(core.unwrap_or_default());
            for name in provided(node) {
                let at = *index.entry(name).or_insert(registry.commands.len());
                if at == registry.commands.len() {
                    registry.commands.push(Command::declared(name, &declarations)?);
                }
                let command = &mut registry.commands[at];
                command.core = command.core.into_iter().chain(core).min();
                if let Some(Extension { name, .. }) = &extension
                    && !command.providers.contains(name)
                {
                    command.providers.push(name.clone());
                }
            }
            registry.extensions.extend(extension);
        }
        Ok(registry)
    }

    pub(super) fn extension(&self, name: &str) -> Option<&Extension> {
        self.extensions.iter().find(|extension| extension.name == name)
    }
}

impl Extension {
    fn read(node: Node<'_, '_>) -> Result<Self, Failure> {
        let name = required(node, "name")?.to_owned();
        Ok(Self {
            number: required(node, "number")?.parse()?,
            instance: match required(node, "type")? {
                "instance" => true,
                "device" => false,
                other => return Err(format!("{name}: no such kind of extension: {other}").into()),
            },
            spec_version: spec_version(node).ok_or_else(|| format!("{name}: no SPEC_VERSION"))?,
            platform: node.attribute("platform").map(str::to_owned),
            name,
        })
    }
}

/// How a command is declared, before anything provides it: with the type of its first parameter, or as another name of a command.
type Declaration<'a> = Result<&'a str, &'a str>;

impl Command {
    fn declared(name: &str, declarations: &BTreeMap<&str, Declaration<'_>>) -> Result<Self, Failure> {
        let (mut alias_of, mut declared_as) = (None, name);
        // No alias is of an alias of an alias.
        for _ in 0..3 {
            match declarations.get(declared_as) {
                None => return Err(format!("{name} is provided but {declared_as} is not declared").into()),
                Some(Err(of)) => (alias_of, declared_as) = (Some((*of).to_owned()), of),
                Some(Ok(first)) => {
                    let (name, first_parameter) = (name.to_owned(), (*first).to_owned());
                    return Ok(Self { name, first_parameter, core: None, alias_of, providers: Vec::new() });
                }
            }
        }
        Err(format!("{name} is an alias of itself").into())
    }
}

fn declarations<'a>(root: Node<'a, 'a>) -> BTreeMap<&'a str, Declaration<'a>> {
    let nodes = grandchildren(root, "commands", "command").filter(|node| of_this_api(*node));
    let aliases = nodes.filter_map(|node| Some((node.attribute("name")?, Err(node.attribute("alias")?))));
    let first = |node| child_text(children(node, "param").next()?, "type");
    let declared = declared_commands(root).into_iter();
    aliases.chain(declared.filter_map(|(name, node)| Some((name, Ok(first(node)?))))).collect()
}

fn header_patch(root: Node) -> Result<u32, Failure> {
    grandchildren(root, "types", "type")
        .filter(|node| of_this_api(*node) && child_text(*node, "name") == Some("VK_HEADER_VERSION"))
        .find_map(|node| node.last_child()?.text()?.trim().parse().ok())
        .ok_or_else(|| "no VK_HEADER_VERSION".into())
}

/// Returns the commands of a feature or extension, once for each `<require>` block that names them.
fn provided<'a, 'input: 'a>(node: Node<'a, 'input>) -> impl Iterator<Item = &'a str> + use<'a, 'input> {
    children(node, "require").filter(|block| of_this_api(*block)).flat_map(|block| {
        children(block, "command")
            .filter(|command| of_this_api(*command))
            .filter_map(|command| command.attribute("name"))
    })
}

fn spec_version(extension: Node) -> Option<u32> {
    children(extension, "require")
        .flat_map(|block| children(block, "enum"))
        .filter(|value| value.attribute("name").is_some_and(|name| name.ends_with("_SPEC_VERSION")))
        .find_map(|value| value.attribute("value")?.parse().ok())
}

/// Returns whether this API has the element: no `api` attribute means every API.
pub(super) fn of_this_api(node: Node) -> bool {
    node.attribute("api").is_none_or(|list| list.split(',').any(|api| api == API))
}

pub(super) fn is_supported(extension: Node) -> bool {
    extension.attribute("supported").is_some_and(|list| list.split(',').any(|api| api == API))
}

/// Returns the core versions and the extensions that are supported.
pub(super) fn providers<'a, 'input: 'a>(
    root: Node<'a, 'input>,
) -> impl Iterator<Item = Node<'a, 'input>> + use<'a, 'input> {
    let features = children(root, "feature").filter(|node| of_this_api(*node));
    features.chain(grandchildren(root, "extensions", "extension").filter(|node| is_supported(*node)))
}

/// Returns the minor number of a core version.
pub(super) fn minor(feature: Node) -> Result<u8, Failure> {
    let number = required(feature, "number")?;
    Ok(number.strip_prefix("1.").ok_or("a core version that is not 1.x")?.parse()?)
}

pub(super) fn declared_commands<'a>(root: Node<'a, 'a>) -> BTreeMap<&'a str, Node<'a, 'a>> {
    let nodes = grandchildren(root, "commands", "command").filter(|node| of_this_api(*node));
    nodes.filter_map(|node| Some((child_text(children(node, "proto").next()?, "name")?, node))).collect()
}

/// Returns the C text of a type, a parameter or a member, without comments.
pub(super) fn declaration(node: Node) -> String {
    let parts = node
        .descendants()
        .filter(|part| part.is_text() && part.parent().is_none_or(|parent| !parent.has_tag_name("comment")));
    parts.filter_map(|part| part.text()).collect()
}

pub(super) fn required<'a>(node: Node<'a, '_>, attribute: &str) -> Result<&'a str, Failure> {
    let tag = node.tag_name().name();
    node.attribute(attribute).ok_or_else(|| format!("<{tag}> without {attribute}").into())
}

pub(super) fn children<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    tag: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> + use<'a, 'input> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

pub(super) fn grandchildren<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    group: &'static str,
    tag: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> + use<'a, 'input> {
    children(node, group).flat_map(move |group| children(group, tag))
}

pub(super) fn child_text<'a>(node: Node<'a, '_>, tag: &'static str) -> Option<&'a str> {
    children(node, tag).next()?.text()
}
