//! Compute shaders: a module is read once, when a pipeline is created from it.
//!
//! Known are scalars and vectors of 32 bits, variables, storage and uniform buffers, push constants, specialisation
//! constants, branches and loops. A module that needs more is refused, with the reason.

use std::collections::HashMap;

use crate::spirv::{Instruction, Operation, bound, instructions, operation};

/// An entry point of a module.
pub(crate) struct Shader {
    /// The invocations of a workgroup.
    pub(crate) local_size: [u32; 3],
    pub(crate) code: Vec<Step>,
    /// The positions of the blocks in the code.
    pub(crate) labels: HashMap<u32, usize>,
    pub(crate) types: HashMap<u32, Type>,
    /// The values of identifiers before execution: constants, and variables as pointers.
    pub(crate) values: Vec<Value>,
    /// Built-in variables, and their positions.
    pub(crate) built_ins: Vec<(BuiltIn, u32)>,
    /// The bytes of all variables that are not in buffers.
    pub(crate) variables: u32,
}

/// An instruction of the entry point's function.
pub(crate) struct Step {
    pub(crate) operation: Operation,
    /// The type of the result.
    pub(crate) kind: u32,
    pub(crate) result: u32,
    pub(crate) operands: Vec<u32>,
}

#[derive(Clone, Copy)]
pub(crate) enum Value {
    Nothing,
    Words(Vector),
    Pointer(Pointer),
}

/// A vector, or as one of a single component a scalar.
#[derive(Clone, Copy, Default)]
pub(crate) struct Vector {
    pub(crate) count: usize,
    /// 0 behind the last component.
    pub(crate) words: [u32; 4],
}

#[derive(Clone, Copy)]
pub(crate) struct Pointer {
    pub(crate) region: Region,
    /// In bytes.
    pub(crate) offset: u32,
    /// The type behind the pointer.
    pub(crate) pointee: u32,
}

/// The storage of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    Buffer { set: u32, binding: u32 },
    PushConstants,
    Variables,
}

pub(crate) enum Type {
    /// A scalar or a vector of this many words.
    Words(u32),
    Array {
        element: u32,
        stride: u32,
        length: u32,
    },
    Structure(Vec<Member>),
    Pointer(u32),
}

pub(crate) struct Member {
    pub(crate) kind: u32,
    /// In bytes.
    pub(crate) offset: u32,
}

#[derive(Clone, Copy)]
pub(crate) enum BuiltIn {
    WorkgroupCount,
    Workgroup,
    Local,
    Global,
    LocalIndex,
}

impl Shader {
    /// Reads the entry point `name` of a module, with the values of specialisation constants by their number.
    ///
    /// # Errors
    /// An error contains the unsupported element, in words for the program's developer.
    pub(crate) fn new(module: &[u32], name: &[u8], constants: &HashMap<u32, u32>) -> Result<Self, String> {
        let count = bound(module).ok_or("this is no SPIR-V module")?;
        let shader = Self {
            local_size: [1; 3],
            code: Vec::new(),
            labels: HashMap::new(),
            types: HashMap::new(),
            values: vec![Value::Nothing; count],
            built_ins: Vec::new(),
            variables: 0,
        };
        let mut reader = Reader { shader, decorations: Decorations::read(module), constants };
        let function =
            entry_point(module, name).ok_or("the module has no such entry point for compute shaders")?;
        let mut inside = None;
        for instruction in instructions(module) {
            match instruction.code {
                FUNCTION => inside = Some(instruction.operand(1)),
                FUNCTION_END => inside = None,
                _ if inside == Some(function) => reader.step(instruction)?,
                _ if inside.is_some() => {}
                _ => reader.declare(instruction, function)?,
            }
        }
        Ok(reader.shader)
    }

    /// Returns the words of a scalar or a vector of this type, and 0 for any other.
    pub(crate) fn words(&self, kind: u32) -> u32 {
        if let Some(Type::Words(count)) = self.types.get(&kind) { *count } else { 0 }
    }

    /// Returns the bytes of a value of this type.
    fn size(&self, kind: u32) -> u32 {
        match self.types.get(&kind) {
            Some(Type::Words(count)) => count.saturating_mul(4),
            Some(Type::Array { stride, length, .. }) => stride.saturating_mul(*length),
            Some(Type::Structure(members)) => members
                .iter()
                .map(|member| member.offset.saturating_add(self.size(member.kind)))
                .max()
                .unwrap_or(0),
            _ => 0,
        }
    }
}

/// The most bytes that the variables of an invocation may take.
const VARIABLES: u32 = 1 << 20;

const ENTRY_POINT: u16 = 15;
const EXECUTION_MODE: u16 = 16;
const FUNCTION: u16 = 54;
const FUNCTION_END: u16 = 56;
const VARIABLE: u16 = 59;
const DECORATE: u16 = 71;
const MEMBER_DECORATE: u16 = 72;

/// Returns the function of an entry point for compute shaders.
fn entry_point(module: &[u32], name: &[u8]) -> Option<u32> {
    const COMPUTE: u32 = 5;
    let is_it = |entry: &Instruction<'_>| {
        let text: Vec<u8> = entry.operands.iter().skip(2).flat_map(|word| word.to_le_bytes()).collect();
        entry.code == ENTRY_POINT
            && entry.operand(0) == COMPUTE
            && text.split(|byte| *byte == 0).next() == Some(name)
    };
    instructions(module).find(is_it).map(|entry| entry.operand(1))
}

/// Decorations of identifiers, and of members of structures.
#[derive(Default)]
struct Decorations {
    of: HashMap<(u32, u32), u32>,
    of_members: HashMap<(u32, u32, u32), u32>,
}

/// Numbers of decorations.
mod decoration {
    pub(super) const SPECIALISATION: u32 = 1;
    pub(super) const ARRAY_STRIDE: u32 = 6;
    pub(super) const BUILT_IN: u32 = 11;
    pub(super) const BINDING: u32 = 33;
    pub(super) const SET: u32 = 34;
    pub(super) const OFFSET: u32 = 35;
}

impl Decorations {
    fn read(module: &[u32]) -> Self {
        let mut all = Self::default();
        for line in instructions(module) {
            if line.code == DECORATE {
                all.of.insert((line.operand(0), line.operand(1)), line.operand(2));
            } else if line.code == MEMBER_DECORATE {
                all.of_members.insert((line.operand(0), line.operand(1), line.operand(2)), line.operand(3));
            }
        }
        all
    }

    fn get(&self, id: u32, decoration: u32) -> Option<u32> {
        self.of.get(&(id, decoration)).copied()
    }
}

struct Reader<'a> {
    shader: Shader,
    decorations: Decorations,
    constants: &'a HashMap<u32, u32>,
}

impl Reader<'_> {
    /// Reads an instruction outside of functions.
    fn declare(&mut self, line: Instruction<'_>, function: u32) -> Result<(), String> {
        const LOCAL_SIZE: u32 = 17;
        let id = line.operand(0);
        let kind = match line.code {
            // Capabilities, extensions, names, decorations, and types without values: void, functions.
            1..=14 | 17 | 19 | 33 | 317 | 330 | DECORATE | MEMBER_DECORATE | ENTRY_POINT => return Ok(()),
            EXECUTION_MODE if line.operand(0) == function && line.operand(1) == LOCAL_SIZE => {
                self.shader.local_size = [2, 3, 4].map(|place| line.operand(place));
                return Ok(());
            }
            EXECUTION_MODE => return Ok(()),
            20 => Type::Words(1),
            21 | 22 if line.operand(1) == 32 => Type::Words(1),
            23 => Type::Words(line.operand(2)),
            28 => self.array(line, self.scalar(line.operand(2))),
            29 => self.array(line, 0),
            30 => self.structure(line),
            32 => Type::Pointer(line.operand(2)),
            VARIABLE => return self.variable(line),
            41..=51 => return self.constant(line),
            code => return Err(format!("the driver does not know the declaration {code} of SPIR-V")),
        };
        self.shader.types.insert(id, kind);
        Ok(())
    }

    fn array(&self, line: Instruction<'_>, length: u32) -> Type {
        let (id, element) = (line.operand(0), line.operand(1));
        let stride = self.decorations.get(id, decoration::ARRAY_STRIDE);
        Type::Array { element, stride: stride.unwrap_or_else(|| self.shader.size(element)), length }
    }

    fn structure(&self, line: Instruction<'_>) -> Type {
        let (id, mut end) = (line.operand(0), 0);
        let members = line.operands.iter().skip(1).zip(0..).map(|(kind, place)| {
            let offset =
                self.decorations.of_members.get(&(id, place, decoration::OFFSET)).copied().unwrap_or(end);
            end = offset.saturating_add(self.shader.size(*kind));
            Member { kind: *kind, offset }
        });
        Type::Structure(members.collect())
    }

    fn constant(&mut self, line: Instruction<'_>) -> Result<(), String> {
        const WORKGROUP_SIZE: u32 = 25;
        let (kind, id) = (line.operand(0), line.operand(1));
        let special = self.decorations.get(id, decoration::SPECIALISATION);
        let special = special.and_then(|number| self.constants.get(&number)).copied();
        let mut vector = Vector { count: self.shader.words(kind) as usize, words: [0; 4] };
        match line.code {
            41 | 48 => vector.words[0] = special.unwrap_or(1),
            42 | 49 => vector.words[0] = special.unwrap_or(0),
            43 | 50 => vector.words[0] = special.unwrap_or(line.operand(2)),
            44 | 51 => {
                for (place, word) in vector.words.iter_mut().enumerate().take(line.operands.len() - 2) {
                    *word = self.scalar(line.operand(place + 2));
                }
            }
            46 => {}
            code => return Err(format!("the driver does not know the constant {code} of SPIR-V")),
        }
        if self.decorations.get(id, decoration::BUILT_IN) == Some(WORKGROUP_SIZE) {
            self.shader.local_size = [0, 1, 2].map(|axis| vector.words[axis]);
        }
        self.set(id, Value::Words(vector));
        Ok(())
    }

    fn variable(&mut self, line: Instruction<'_>) -> Result<(), String> {
        let (kind, id, class) = (line.operand(0), line.operand(1), line.operand(2));
        let Some(Type::Pointer(pointee)) = self.shader.types.get(&kind) else {
            return Err("a variable whose type is no pointer".into());
        };
        let (pointee, place) = (*pointee, |decoration| self.decorations.get(id, decoration).unwrap_or(0));
        let (region, offset) = match class {
            2 | 12 => {
                (Region::Buffer { set: place(decoration::SET), binding: place(decoration::BINDING) }, 0)
            }
            9 => (Region::PushConstants, 0),
            1 | 6 | 7 => (Region::Variables, self.shader.variables),
            4 => return Err("the driver has no shared variables of workgroups".into()),
            _ => {
                return Err(format!(
                    "the driver has no variables of the storage class {class}: no images, for example"
                ));
            }
        };
        if region == Region::Variables {
            // Built-in variables are written as three words, whatever the shader declares.
            let size = self.shader.size(pointee).max(16);
            self.shader.variables = self.shader.variables.saturating_add(size);
            if self.shader.variables > VARIABLES {
                return Err(format!("the variables of an invocation take more than {VARIABLES} bytes"));
            }
            if let Some(built_in) = self.decorations.get(id, decoration::BUILT_IN) {
                self.shader.built_ins.push((built_in_of(built_in)?, offset));
            }
        }
        if line.operands.len() > 3 {
            return Err("the driver does not know variables with initial values".into());
        }
        self.set(id, Value::Pointer(Pointer { region, offset, pointee }));
        Ok(())
    }

    /// Reads an instruction of the function.
    fn step(&mut self, line: Instruction<'_>) -> Result<(), String> {
        if line.code == VARIABLE {
            return self.variable(line);
        }
        let operation = operation(line.code)
            .ok_or_else(|| format!("the driver does not know the instruction {} of SPIR-V", line.code))?;
        let operands = match operation {
            Operation::Nothing => return Ok(()),
            Operation::Label => {
                self.shader.labels.insert(line.operand(0), self.shader.code.len());
                line.operands
            }
            Operation::Store | Operation::Branch | Operation::BranchConditional | Operation::Return => {
                line.operands
            }
            _ => line.operands.get(2..).ok_or("an instruction without a result")?,
        };
        let (kind, result) = (line.operand(0), line.operand(1));
        self.shader.code.push(Step { operation, kind, result, operands: operands.to_vec() });
        Ok(())
    }

    fn set(&mut self, id: u32, value: Value) {
        if let Some(place) = self.shader.values.get_mut(id as usize) {
            *place = value;
        }
    }

    fn scalar(&self, id: u32) -> u32 {
        if let Some(Value::Words(vector)) = self.shader.values.get(id as usize) { vector.words[0] } else { 0 }
    }
}

fn built_in_of(number: u32) -> Result<BuiltIn, String> {
    Ok(match number {
        24 => BuiltIn::WorkgroupCount,
        26 => BuiltIn::Workgroup,
        27 => BuiltIn::Local,
        28 => BuiltIn::Global,
        29 => BuiltIn::LocalIndex,
        _ => return Err(format!("the driver does not know the built-in variable {number} of SPIR-V")),
    })
}
