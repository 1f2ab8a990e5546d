//! Runs compute shaders, one invocation after the other.

use crate::shader::{BuiltIn, Pointer, Region, Shader, Step, Type, Value, Vector};
use crate::spirv::{Operation, float};

/// The memory of shaders outside of their own variables. A region has no data outside of its bounds: reading there
/// gives 0.
pub(crate) trait Memory {
    /// Returns the word at an offset in bytes.
    fn load(&self, region: Region, offset: u32) -> u32;
    fn store(&self, region: Region, offset: u32, word: u32);
    /// Adds to a word atomically, and returns the earlier value.
    fn add(&self, region: Region, offset: u32, word: u32) -> u32;
    /// Returns the bytes of the region.
    fn size(&self, region: Region) -> u32;
}

/// A shader did not come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunsTooLong;

/// The steps after which an invocation is given up.
const STEPS: u32 = 1 << 20;

/// Runs all invocations of this many workgroups.
///
/// # Errors
/// [`RunsTooLong`].
pub(crate) fn dispatch(
    shader: &Shader,
    workgroups: [u32; 3],
    memory: &dyn Memory,
) -> Result<(), RunsTooLong> {
    let mut run = Run { shader, values: Vec::new(), variables: Vec::new(), memory };
    for workgroup in places(workgroups) {
        for local in places(shader.local_size) {
            run.start([workgroups, workgroup, local]);
            run.finish()?;
        }
    }
    Ok(())
}

fn places([wide, high, deep]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..deep).flat_map(move |z| (0..high).flat_map(move |y| (0..wide).map(move |x| [x, y, z])))
}

/// An invocation.
struct Run<'a> {
    shader: &'a Shader,
    values: Vec<Value>,
    variables: Vec<u32>,
    memory: &'a dyn Memory,
}

impl Run<'_> {
    fn start(&mut self, [workgroups, workgroup, local]: [[u32; 3]; 3]) {
        self.values.clone_from(&self.shader.values);
        self.variables.clear();
        self.variables.resize(self.shader.variables as usize / 4, 0);
        let size = self.shader.local_size;
        for (built_in, offset) in &self.shader.built_ins {
            let words = match built_in {
                BuiltIn::WorkgroupCount => workgroups,
                BuiltIn::Workgroup => workgroup,
                BuiltIn::Local => local,
                BuiltIn::Global => {
                    [0, 1, 2].map(|axis| workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local[axis]))
                }
                BuiltIn::LocalIndex => [local[0] + size[0] * (local[1] + size[1] * local[2]), 0, 0],
            };
            for (word, place) in words.into_iter().zip(0..) {
                self.write(Region::Variables, offset + 4 * place, word);
            }
        }
    }

    fn finish(&mut self) -> Result<(), RunsTooLong> {
        let (mut at, mut block) = (0, 0);
        for _ in 0..STEPS {
            let Some(step) = self.shader.code.get(at) else { return Ok(()) };
            at += 1;
            let target = match step.operation {
                Operation::Return => return Ok(()),
                Operation::Label => {
                    at = self.choose(at, block);
                    block = step.operand(0);
                    continue;
                }
                Operation::Branch => step.operand(0),
                Operation::BranchConditional if self.scalar(step.operand(0)) != 0 => step.operand(1),
                Operation::BranchConditional => step.operand(2),
                _ => {
                    self.step(step);
                    continue;
                }
            };
            at = self.shader.labels.get(&target).copied().unwrap_or(usize::MAX);
        }
        Err(RunsTooLong)
    }

    /// Carries out the choices (`OpPhi`) at the beginning of a block, all at once. Returns the position after them.
    fn choose(&mut self, start: usize, before: u32) -> usize {
        let rest = self.shader.code.get(start..).unwrap_or(&[]);
        let choices = rest.iter().take_while(|step| matches!(step.operation, Operation::Phi));
        let chosen: Vec<(u32, Value)> = choices
            .map(|step| {
                let pair = step.operands.chunks(2).find(|pair| pair.get(1) == Some(&before));
                (step.result, pair.map_or(Value::Nothing, |pair| self.value(pair[0])))
            })
            .collect();
        let end = start + chosen.len();
        chosen.into_iter().for_each(|(result, value)| self.set(result, value));
        end
    }

    fn step(&mut self, step: &Step) {
        let operand = |place| step.operand(place);
        let value = match step.operation {
            Operation::Store => return self.store(operand(0), operand(1)),
            Operation::Load => self.load(operand(0), step.kind),
            Operation::AccessChain => self.access(step),
            Operation::ArrayLength => self.array_length(operand(0), operand(1)),
            Operation::AtomicAdd => self.atomic_add(operand(0), operand(3)),
            Operation::Unary(compute) => self.each(operand(0), operand(0), |a, _| compute(a)),
            Operation::Binary(compute) => self.each(operand(0), operand(1), compute),
            Operation::Scale => self.scale(operand(0), operand(1)),
            Operation::Select => self.select(step),
            Operation::Construct => words(step.operands.iter().flat_map(|part| self.components(*part))),
            Operation::Extract => words(self.vector(operand(0)).words.get(operand(1) as usize).copied()),
            Operation::Shuffle => self.shuffle(step),
            _ => return,
        };
        self.set(step.result, value);
    }

    fn each(&self, a: u32, b: u32, compute: impl Fn(u32, u32) -> u32) -> Value {
        words(self.components(a).zip(self.components(b)).map(|(a, b)| compute(a, b)))
    }

    fn scale(&self, vector: u32, by: u32) -> Value {
        let by = float(self.scalar(by));
        words(self.components(vector).map(|word| (float(word) * by).to_bits()))
    }

    fn select(&self, step: &Step) -> Value {
        let [condition, yes, no] = [0, 1, 2].map(|place| self.vector(step.operand(place)));
        // A scalar condition is one for all components.
        let is_set = |place: usize| condition.words[if condition.count == 1 { 0 } else { place }] != 0;
        words((0..yes.count).map(|place| if is_set(place) { yes.words[place] } else { no.words[place] }))
    }

    fn shuffle(&self, step: &Step) -> Value {
        let both: Vec<u32> =
            self.components(step.operand(0)).chain(self.components(step.operand(1))).collect();
        let places = step.operands.iter().skip(2);
        words(places.map(|place| both.get(*place as usize).copied().unwrap_or(0)))
    }

    /// Follows a pointer to a part of the data behind it.
    fn access(&self, step: &Step) -> Value {
        let Value::Pointer(mut pointer) = self.value(step.operand(0)) else { return Value::Nothing };
        for index in step.operands.iter().skip(1).map(|index| self.scalar(*index)) {
            let (kind, offset) = match self.shader.types.get(&pointer.pointee) {
                Some(Type::Array { element, stride, .. }) => (*element, index.saturating_mul(*stride)),
                Some(Type::Structure(members)) => match members.get(index as usize) {
                    Some(member) => (member.kind, member.offset),
                    None => return Value::Nothing,
                },
                // A component of a vector: any type of a single word will do.
                _ => (self.component_of(step), index.saturating_mul(4)),
            };
            pointer = Pointer { pointee: kind, offset: pointer.offset.saturating_add(offset), ..pointer };
        }
        Value::Pointer(pointer)
    }

    /// Returns the type behind the result of an access.
    fn component_of(&self, step: &Step) -> u32 {
        if let Some(Type::Pointer(pointee)) = self.shader.types.get(&step.kind) { *pointee } else { 0 }
    }

    /// Returns the number of elements in a buffer's last member.
    fn array_length(&self, buffer: u32, member: u32) -> Value {
        let Value::Pointer(pointer) = self.value(buffer) else { return Value::Nothing };
        let Some(Type::Structure(members)) = self.shader.types.get(&pointer.pointee) else {
            return Value::Nothing;
        };
        let Some(member) = members.get(member as usize) else { return Value::Nothing };
        let Some(Type::Array { stride, .. }) = self.shader.types.get(&member.kind) else {
            return Value::Nothing;
        };
        let bytes = self.memory.size(pointer.region).saturating_sub(member.offset);
        words([bytes.checked_div(*stride).unwrap_or(0)])
    }

    fn atomic_add(&mut self, at: u32, by: u32) -> Value {
        let Value::Pointer(pointer) = self.value(at) else { return Value::Nothing };
        let by = self.scalar(by);
        if pointer.region != Region::Variables {
            return words([self.memory.add(pointer.region, pointer.offset, by)]);
        }
        let old = self.read(pointer.region, pointer.offset);
        self.write(pointer.region, pointer.offset, old.wrapping_add(by));
        words([old])
    }

    fn load(&self, from: u32, kind: u32) -> Value {
        let Value::Pointer(pointer) = self.value(from) else { return Value::Nothing };
        let places = 0..self.shader.words(kind);
        words(places.map(|place| self.read(pointer.region, pointer.offset.saturating_add(4 * place))))
    }

    fn store(&mut self, to: u32, from: u32) {
        let Value::Pointer(pointer) = self.value(to) else { return };
        let vector = self.vector(from);
        for (word, place) in vector.words.into_iter().zip(0..).take(vector.count) {
            self.write(pointer.region, pointer.offset.saturating_add(4 * place), word);
        }
    }

    fn read(&self, region: Region, offset: u32) -> u32 {
        match region {
            Region::Variables => self.variables.get(offset as usize / 4).copied().unwrap_or(0),
            _ => self.memory.load(region, offset),
        }
    }

    fn write(&mut self, region: Region, offset: u32, word: u32) {
        match region {
            Region::Variables => {
                if let Some(place) = self.variables.get_mut(offset as usize / 4) {
                    *place = word;
                }
            }
            _ => self.memory.store(region, offset, word),
        }
    }

    fn value(&self, id: u32) -> Value {
        self.values.get(id as usize).copied().unwrap_or(Value::Nothing)
    }

    fn set(&mut self, id: u32, value: Value) {
        if let Some(place) = self.values.get_mut(id as usize) {
            *place = value;
        }
    }

    fn vector(&self, id: u32) -> Vector {
        if let Value::Words(vector) = self.value(id) { vector } else { Vector::default() }
    }

    fn components(&self, id: u32) -> impl Iterator<Item = u32> + use<> {
        let vector = self.vector(id);
        vector.words.into_iter().take(vector.count)
    }

    fn scalar(&self, id: u32) -> u32 {
        self.vector(id).words[0]
    }
}

impl Step {
    fn operand(&self, place: usize) -> u32 {
        self.operands.get(place).copied().unwrap_or(0)
    }
}

/// Returns a vector of these components, of which the first four are kept.
fn words(components: impl IntoIterator<Item = u32>) -> Value {
    let mut vector = Vector::default();
    for (place, word) in vector.words.iter_mut().zip(components) {
        *place = word;
        vector.count += 1;
    }
    Value::Words(vector)
}
