//! The limits of a description that are below the specification's requirements.

use crate::physical_device::{Description, limit_value};
use crate::properties::{Bound, Limit, Location, Member, Structure, Value, resolve, structure};

/// A limit that is worse than required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// The structure.
    pub structure: &'static str,
    /// Its member.
    pub member: &'static str,
}

/// Calls `found` for each limit of Vulkan 1.0 to 1.4 that is worse than the requirement for a device with this
/// version and these features. A driver's test expects none.
pub fn below_required(known: &Description, mut found: impl FnMut(Shortfall)) {
    let rows = resolve();
    let since_1_4 = if known.minor_version() >= 4 { rows.since_1_4 } else { &[] };
    let plain = rows.always.iter().copied().flatten().chain(since_1_4);
    let with = rows.with.iter().copied().flatten();
    let with = with.filter(|(feature, ..)| known.features.contains(*feature));
    for (limit, value) in plain.map(|limit| (limit, limit.value)).chain(with.map(|row| (&row.1, row.2))) {
        let Some((structure, member)) = name(limit) else { continue };
        if is_worse(member.bound, limit_value(known, limit), value) {
            found(Shortfall { structure: structure.name, member: member.name });
        }
    }
}

fn is_worse(bound: Option<Bound>, own: Option<Value>, required: Value) -> bool {
    match (bound, own, required) {
        (Some(Bound::Most), Some(Value::Integer(own)), Value::Integer(required)) => own < required,
        (Some(Bound::Most), Some(Value::Real(own)), Value::Real(required)) => own < required,
        (Some(Bound::Least), Some(Value::Integer(own)), Value::Integer(required)) => own > required,
        (Some(Bound::Least), Some(Value::Real(own)), Value::Real(required)) => own > required,
        (Some(Bound::Bits), Some(Value::Integer(own)), Value::Integer(required)) => {
            own & required != required
        }
        // The lower end of a range is 1 or below 0, the upper one above.
        (Some(Bound::Range), Some(Value::Real(own)), Value::Real(required)) => {
            if required < 0.0 {
                own > required
            } else {
                required > 1.0 && own < required
            }
        }
        _ => false,
    }
}

/// Returns the member that is kept at the location of a limit.
fn name(limit: &Limit) -> Option<(&'static Structure, &'static Member)> {
    let (name, at) = match limit.location {
        Location::Limits(at) => ("VkPhysicalDeviceLimits", at),
        Location::Version(1, at) => ("VkPhysicalDeviceVulkan11Properties", at),
        Location::Version(2, at) => ("VkPhysicalDeviceVulkan12Properties", at),
        Location::Version(3, at) => ("VkPhysicalDeviceVulkan13Properties", at),
        Location::Version(4, at) => ("VkPhysicalDeviceVulkan14Properties", at),
        _ => return None,
    };
    let structure = structure(name)?;
    let behind = (0..structure.members.len()).find(|number| structure.offset(*number) > at.into());
    let number = behind.unwrap_or(structure.members.len()).checked_sub(1)?;
    Some((structure, structure.members.get(number)?))
}
