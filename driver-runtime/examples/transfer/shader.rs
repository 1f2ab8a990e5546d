//! Interprets SPIR-V modules with one function that computes with 32-bit integers.

use std::collections::HashMap;

use crate::memory::Range;

pub(crate) struct Resources<'a> {
    /// The buffer of a binding in the first set.
    pub(crate) buffer: &'a dyn Fn(u32) -> Option<Range>,
    pub(crate) push_constants: &'a [u32],
}

#[derive(Default)]
pub(crate) struct Module {
    types: HashMap<u32, Type>,
    constants: HashMap<u32, u32>,
    /// The type and the storage class of each variable.
    variables: HashMap<u32, (u32, u32)>,
    /// By variable.
    bindings: HashMap<u32, u32>,
    strides: HashMap<u32, u32>,
    /// By structure and member.
    offsets: HashMap<(u32, u32), u32>,
    /// The instructions of the function: their number, and their operands.
    code: Vec<(u16, Vec<u32>)>,
    pub(crate) local_size: [u32; 3],
}

enum Type {
    Word,
    Vector(u32),
    Array(u32),
    Structure(Vec<u32>),
    Pointer(u32),
}

#[derive(Clone, Copy)]
enum Value {
    Word(u32),
    /// A variable, the offset in it in bytes, and the type there.
    Pointer(u32, u32, u32),
}

const INPUT: u32 = 1;
const PUSH_CONSTANT: u32 = 9;
const FUNCTION: u32 = 7;

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// The number of the first instruction that is not known.
    pub(crate) fn read(words: &[u32]) -> Result<Self, u16> {
        let (mut module, mut rest) =
            (Self { local_size: [1; 3], ..Self::default() }, words.get(5..).unwrap_or(&[]));
        while let Some(&first) = rest.first() {
            let (number, length) = (first as u16, (first >> 16).max(1) as usize);
            let operands = rest.get(1..length).ok_or(number)?;
            module.add(number, operands).ok_or(number)?;
            rest = &rest[length..];
        }
        Ok(module)
    }

    fn add(&mut self, number: u16, operands: &[u32]) -> Option<()> {
        let at = |index: usize| operands.get(index).copied();
        match number {
            // Names, capabilities, entry points, and what needs no type here.
            3..=6 | 11 | 14 | 15 | 17 | 19 | 33 | 44 | 54 | 56 | 248 | 253 => {}
            16 if at(1)? == 17 => self.local_size = [at(2)?, at(3)?, at(4)?],
            16 => {}
            21 if at(1)? == 32 => _ = self.types.insert(at(0)?, Type::Word),
            23 => _ = self.types.insert(at(0)?, Type::Vector(at(1)?)),
            28 | 29 => _ = self.types.insert(at(0)?, Type::Array(at(1)?)),
            30 => _ = self.types.insert(at(0)?, Type::Structure(operands[1..].to_vec())),
            32 => _ = self.types.insert(at(0)?, Type::Pointer(at(2)?)),
            43 => _ = self.constants.insert(at(1)?, at(2)?),
            59 => _ = self.variables.insert(at(1)?, (at(0)?, at(2)?)),
            71 => match at(1)? {
                6 => _ = self.strides.insert(at(0)?, at(2)?),
                33 => _ = self.bindings.insert(at(0)?, at(2)?),
                _ => {}
            },
            72 if at(2)? == 35 => _ = self.offsets.insert((at(0)?, at(1)?), at(3)?),
            72 => {}
            61 | 62 | 65 | 128 | 130 | 132 => self.code.push((number, operands.to_vec())),
            _ => return None,
        }
        Some(())
    }

    /// Runs the function for one invocation. Reads outside of a resource give 0, and writes have no effect.
    pub(crate) fn run(&self, invocation: [u32; 3], resources: &Resources<'_>) -> Option<()> {
        let mut values: HashMap<u32, Value> =
            self.constants.iter().map(|(id, word)| (*id, Value::Word(*word))).collect();
        for (id, (kind, _)) in &self.variables {
            let Some(Type::Pointer(to)) = self.types.get(kind) else { return None };
            values.insert(*id, Value::Pointer(*id, 0, *to));
        }
        let mut locals = HashMap::new();
        for (number, operands) in &self.code {
            let at = |index: usize| values.get(operands.get(index)?).copied();
            let word = |index| if let Some(Value::Word(word)) = at(index) { Some(word) } else { None };
            let result = match number {
                61 => {
                    let Value::Pointer(variable, offset, _) = at(2)? else { return None };
                    Value::Word(self.load(variable, offset, invocation, resources, &locals).unwrap_or(0))
                }
                62 => {
                    let (Value::Pointer(variable, offset, _), Value::Word(word)) = (at(0)?, at(1)?) else {
                        return None;
                    };
                    if self.variables.get(&variable)?.1 == FUNCTION {
                        locals.insert((variable, offset), word);
                    } else if let Some(buffer) = (resources.buffer)(*self.bindings.get(&variable)?) {
                        buffer.set_word(offset, word);
                    }
                    continue;
                }
                65 => (3..operands.len())
                    .try_fold(at(2)?, |pointer, index| self.member(pointer, word(index)?))?,
                128 => Value::Word(word(2)?.wrapping_add(word(3)?)),
                130 => Value::Word(word(2)?.wrapping_sub(word(3)?)),
                _ => Value::Word(word(2)?.wrapping_mul(word(3)?)),
            };
            values.insert(*operands.get(1)?, result);
        }
        Some(())
    }

    fn member(&self, pointer: Value, index: u32) -> Option<Value> {
        let Value::Pointer(variable, offset, kind) = pointer else { return None };
        let (more, kind) = match self.types.get(&kind)? {
            Type::Structure(members) => {
                (*self.offsets.get(&(kind, index)).unwrap_or(&0), *members.get(index as usize)?)
            }
            Type::Array(of) => (index.checked_mul(*self.strides.get(&kind).unwrap_or(&4))?, *of),
            Type::Vector(of) => (index.checked_mul(4)?, *of),
            Type::Word | Type::Pointer(_) => return None,
        };
        Some(Value::Pointer(variable, offset.checked_add(more)?, kind))
    }

    fn load(
        &self,
        variable: u32,
        offset: u32,
        invocation: [u32; 3],
        resources: &Resources<'_>,
        locals: &HashMap<(u32, u32), u32>,
    ) -> Option<u32> {
        let index = offset as usize / 4;
        match self.variables.get(&variable)?.1 {
            INPUT => invocation.get(index).copied(),
            PUSH_CONSTANT => resources.push_constants.get(index).copied(),
            FUNCTION => locals.get(&(variable, offset)).copied(),
            _ => (resources.buffer)(*self.bindings.get(&variable)?)?.word(offset),
        }
    }
}
