//! The layouts of descriptor sets and pipelines.

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{Arc, OutOfMemory, TryGrow, Vec};

use crate::out_array::list;

/// A binding of a set layout.
#[derive(Clone, Copy)]
pub struct Binding {
    /// Its number.
    pub number: u32,
    /// The type of its descriptors.
    pub kind: vk::DescriptorType,
    /// Its descriptors; bytes, if it is a block of constants.
    pub count: u32,
    /// The shader stages that use it.
    pub stages: vk::ShaderStageFlags,
    /// Its flags.
    pub flags: vk::DescriptorBindingFlags,
    /// How many descriptors the bindings before it have, so that all of them can lie in one array.
    pub first: u32,
    /// How many dynamic offsets the bindings before it take.
    pub first_dynamic: u32,
    /// The first immutable sampler.
    samplers: Option<usize>,
}

impl Binding {
    /// Returns whether each descriptor takes an offset when the set is bound.
    pub fn is_dynamic(&self) -> bool {
        matches!(
            self.kind,
            vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
        )
    }
}

/// The facts of a descriptor set layout. Its owners are the layout's object and the pipeline layouts and sets made with
/// it, which outlive that object.
pub struct SetLayoutInfo {
    flags: vk::DescriptorSetLayoutCreateFlags,
    bindings: Vec<Binding>,
    samplers: Vec<vk::Sampler>,
    descriptors: u32,
    dynamic_offsets: u32,
}

impl SetLayoutInfo {
    /// Returns the first owner of the facts in a create structure.
    ///
    /// # Safety
    /// `info` begins a valid pNext chain, and its arrays are valid.
    pub unsafe fn new(info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> Result<Arc<Self>, OutOfMemory> {
        // SAFETY: the caller vouches for the structure.
        let (given, flags) = unsafe {
            let flags = chain::find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(info.p_next);
            let flags = flags.map_or(&[][..], |flags| list(flags.p_binding_flags, flags.binding_count));
            (list(info.p_bindings, info.binding_count), flags)
        };
        let mut new = Self {
            flags: info.flags,
            bindings: Vec::new(),
            samplers: Vec::new(),
            descriptors: 0,
            dynamic_offsets: 0,
        };
        new.bindings.try_fit(given.len())?;
        for (index, binding) in given.iter().enumerate() {
            let samplers = match has_samplers(binding) {
                // SAFETY: as above; such a binding has one sampler for each descriptor.
                true => Some(unsafe { list(binding.p_immutable_samplers, binding.descriptor_count) }),
                false => None,
            };
            let first = samplers.map(|_| new.samplers.len());
            new.samplers.try_extend(samplers.unwrap_or(&[]))?;
            new.bindings.try_push(Binding {
                number: binding.binding,
                kind: binding.descriptor_type,
                count: binding.descriptor_count,
                stages: binding.stage_flags,
                flags: flags.get(index).copied().unwrap_or_default(),
                first: 0,
                first_dynamic: 0,
                samplers: first,
            })?;
        }
        new.bindings.sort_unstable_by_key(|binding| binding.number);
        for binding in &mut new.bindings {
            binding.first = new.descriptors;
            binding.first_dynamic = new.dynamic_offsets;
            new.descriptors = new.descriptors.saturating_add(binding.count);
            let dynamic = if binding.is_dynamic() { binding.count } else { 0 };
            new.dynamic_offsets = new.dynamic_offsets.saturating_add(dynamic);
        }
        Arc::try_new(new)
    }

    /// Returns how it was created.
    pub fn flags(&self) -> vk::DescriptorSetLayoutCreateFlags {
        self.flags
    }

    /// Returns the bindings in the order of their numbers.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Returns the binding with a number.
    pub fn binding(&self, number: u32) -> Option<&Binding> {
        let index = self.bindings.binary_search_by_key(&number, |binding| binding.number).ok()?;
        self.bindings.get(index)
    }

    /// Returns the samplers that a binding always has, one for each descriptor; none, if it has no such samplers.
    pub fn immutable_samplers(&self, binding: &Binding) -> &[vk::Sampler] {
        let Some(first) = binding.samplers else { return &[] };
        let end = first.saturating_add(binding.count as usize);
        self.samplers.get(first..end).unwrap_or(&[])
    }

    /// Returns the descriptors of a set. With `variable`, the last binding has this number of them if its number is
    /// variable.
    pub fn descriptors(&self, variable: Option<u32>) -> u32 {
        let last = self.bindings.last();
        let last = last.filter(|it| it.flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT));
        match (last, variable) {
            (Some(last), Some(count)) => last.first.saturating_add(count.min(last.count)),
            _ => self.descriptors,
        }
    }

    /// Returns the dynamic offsets that a set takes when it is bound.
    pub fn dynamic_offsets(&self) -> u32 {
        self.dynamic_offsets
    }
}

/// Only descriptors that contain samplers have immutable ones; for others the pointer may be anything.
fn has_samplers(binding: &vk::DescriptorSetLayoutBinding<'_>) -> bool {
    let kinds = [vk::DescriptorType::SAMPLER, vk::DescriptorType::COMBINED_IMAGE_SAMPLER];
    kinds.contains(&binding.descriptor_type) && !binding.p_immutable_samplers.is_null()
}

struct Set {
    /// `None` in a layout of a pipeline library, which does not have every set.
    layout: Option<Arc<SetLayoutInfo>>,
    first_dynamic: u32,
}

/// The facts of a pipeline layout.
pub struct PipelineLayoutInfo {
    sets: Vec<Set>,
    push_constants: Vec<vk::PushConstantRange>,
    dynamic_offsets: u32,
}

impl PipelineLayoutInfo {
    /// Returns the facts in a create structure. `layout_of` returns the set layout behind a handle, which is not null.
    ///
    /// # Safety
    /// The arrays of `info` are valid.
    pub unsafe fn new(
        info: &vk::PipelineLayoutCreateInfo<'_>,
        layout_of: impl Fn(vk::DescriptorSetLayout) -> Option<Arc<SetLayoutInfo>>,
    ) -> Result<Self, OutOfMemory> {
        // SAFETY: the caller vouches for the arrays.
        let (sets, ranges) = unsafe {
            (
                list(info.p_set_layouts, info.set_layout_count),
                list(info.p_push_constant_ranges, info.push_constant_range_count),
            )
        };
        let mut new = Self { sets: Vec::new(), push_constants: Vec::new(), dynamic_offsets: 0 };
        new.push_constants.try_extend(ranges)?;
        new.sets.try_fit(sets.len())?;
        for handle in sets {
            let known = *handle != vk::DescriptorSetLayout::null();
            let layout = known.then(|| layout_of(*handle)).flatten();
            let first_dynamic = new.dynamic_offsets;
            let offsets = layout.as_ref().map_or(0, |layout| layout.dynamic_offsets);
            new.dynamic_offsets = first_dynamic.saturating_add(offsets);
            new.sets.try_push(Set { layout, first_dynamic })?;
        }
        Ok(new)
    }

    /// Returns the number of sets.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Returns the layout of a set.
    pub fn set(&self, number: u32) -> Option<&Arc<SetLayoutInfo>> {
        self.sets.get(number as usize)?.layout.as_ref()
    }

    /// Returns how many dynamic offsets the sets before this one take.
    pub fn first_dynamic(&self, set: u32) -> u32 {
        self.sets.get(set as usize).map_or(self.dynamic_offsets, |set| set.first_dynamic)
    }

    /// Returns the dynamic offsets of all sets.
    pub fn dynamic_offsets(&self) -> u32 {
        self.dynamic_offsets
    }

    /// Returns the ranges of push constants.
    pub fn push_constants(&self) -> &[vk::PushConstantRange] {
        &self.push_constants
    }

    /// Returns the bytes up to the end of the last push constant.
    pub fn push_constant_size(&self) -> u32 {
        let ends = self.push_constants.iter().map(|range| range.offset.saturating_add(range.size));
        ends.max().unwrap_or(0)
    }
}
