//! The SPIR-V instructions that the interpreter supports, as a table.
//!
//! Numbers are as in the SPIR-V specification. Values are 32-bit words; vectors have up to four of them.

/// The operation of an instruction. Arithmetic works component by component.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    /// Nothing: debugging information, and merges, which a single invocation does not need.
    Nothing,
    Unary(fn(u32) -> u32),
    Binary(fn(u32, u32) -> u32),
    /// A vector by a scalar.
    Scale,
    Select,
    Load,
    Store,
    AccessChain,
    ArrayLength,
    AtomicAdd,
    Construct,
    Extract,
    Shuffle,
    Phi,
    Label,
    Branch,
    BranchConditional,
    Return,
}

use Operation::{Binary, Unary};

/// Operation codes and their operations.
const OPERATIONS: &[(u16, Operation)] = &[
    (8, Operation::Nothing),   // OpLine
    (317, Operation::Nothing), // OpNoLine
    (246, Operation::Nothing), // OpLoopMerge
    (247, Operation::Nothing), // OpSelectionMerge
    (61, Operation::Load),
    (62, Operation::Store),
    (65, Operation::AccessChain),
    (66, Operation::AccessChain),
    (68, Operation::ArrayLength),
    (234, Operation::AtomicAdd),
    (79, Operation::Shuffle),
    (80, Operation::Construct),
    (81, Operation::Extract),
    (169, Operation::Select),
    (245, Operation::Phi),
    (248, Operation::Label),
    (249, Operation::Branch),
    (250, Operation::BranchConditional),
    (253, Operation::Return),
    // Conversions
    (109, Unary(|a| float(a) as u32)),
    (110, Unary(|a| (float(a) as i32).cast_unsigned())),
    (111, Unary(|a| (a.cast_signed() as f32).to_bits())),
    (112, Unary(|a| (a as f32).to_bits())),
    (124, Unary(|a| a)),
    // Arithmetic. A division by zero has no defined result, and must not end the program.
    (126, Unary(u32::wrapping_neg)),
    (127, Unary(|a| (-float(a)).to_bits())),
    (128, Binary(u32::wrapping_add)),
    (129, Binary(|a, b| (float(a) + float(b)).to_bits())),
    (130, Binary(u32::wrapping_sub)),
    (131, Binary(|a, b| (float(a) - float(b)).to_bits())),
    (132, Binary(u32::wrapping_mul)),
    (133, Binary(|a, b| (float(a) * float(b)).to_bits())),
    (134, Binary(|a, b| a.checked_div(b).unwrap_or(0))),
    (135, Binary(|a, b| signed(a, b, i32::checked_div))),
    (136, Binary(|a, b| (float(a) / float(b)).to_bits())),
    (137, Binary(|a, b| a.checked_rem(b).unwrap_or(0))),
    (138, Binary(|a, b| signed(a, b, i32::checked_rem))),
    (142, Operation::Scale),
    // Logic and comparisons
    (164, Binary(|a, b| (a == b).into())),
    (165, Binary(|a, b| (a != b).into())),
    (166, Binary(|a, b| a | b)),
    (167, Binary(|a, b| a & b)),
    (168, Unary(|a| (a == 0).into())),
    (170, Binary(|a, b| (a == b).into())),
    (171, Binary(|a, b| (a != b).into())),
    (172, Binary(|a, b| (a > b).into())),
    (173, Binary(|a, b| (a.cast_signed() > b.cast_signed()).into())),
    (174, Binary(|a, b| (a >= b).into())),
    (175, Binary(|a, b| (a.cast_signed() >= b.cast_signed()).into())),
    (176, Binary(|a, b| (a < b).into())),
    (177, Binary(|a, b| (a.cast_signed() < b.cast_signed()).into())),
    (178, Binary(|a, b| (a <= b).into())),
    (179, Binary(|a, b| (a.cast_signed() <= b.cast_signed()).into())),
    (180, Binary(|a, b| (float(a) == float(b)).into())),
    (182, Binary(|a, b| (float(a) < float(b) || float(a) > float(b)).into())),
    (184, Binary(|a, b| (float(a) < float(b)).into())),
    (186, Binary(|a, b| (float(a) > float(b)).into())),
    (188, Binary(|a, b| (float(a) <= float(b)).into())),
    (190, Binary(|a, b| (float(a) >= float(b)).into())),
    // Bits
    (194, Binary(|a, b| a.checked_shr(b).unwrap_or(0))),
    (195, Binary(|a, b| (a.cast_signed() >> b.min(31)).cast_unsigned())),
    (196, Binary(|a, b| a.checked_shl(b).unwrap_or(0))),
    (197, Binary(|a, b| a | b)),
    (198, Binary(|a, b| a ^ b)),
    (199, Binary(|a, b| a & b)),
    (200, Unary(|a| !a)),
];

/// Returns the operation of an instruction inside a function, or `None` for an unknown one.
pub(crate) fn operation(code: u16) -> Option<Operation> {
    OPERATIONS.iter().find(|(known, _)| *known == code).map(|(_, operation)| *operation)
}

pub(crate) fn float(word: u32) -> f32 {
    f32::from_bits(word)
}

fn signed(a: u32, b: u32, compute: fn(i32, i32) -> Option<i32>) -> u32 {
    compute(a.cast_signed(), b.cast_signed()).unwrap_or(0).cast_unsigned()
}

/// An instruction of a module.
#[derive(Clone, Copy)]
pub(crate) struct Instruction<'a> {
    pub(crate) code: u16,
    pub(crate) operands: &'a [u32],
}

impl Instruction<'_> {
    /// Returns the operand at a place, or 0: no identifier is 0.
    pub(crate) fn operand(&self, place: usize) -> u32 {
        self.operands.get(place).copied().unwrap_or(0)
    }
}

/// Returns a module's instructions, up to the first broken one.
pub(crate) fn instructions(module: &[u32]) -> impl Iterator<Item = Instruction<'_>> {
    let mut rest = module.get(HEADER..).unwrap_or(&[]);
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (instruction, others) = rest.split_at_checked((first >> 16) as usize)?;
        rest = others;
        Some(Instruction { code: first as u16, operands: instruction.get(1..)? })
    })
}

/// The words before the first instruction: the magic number, the version, the generator, the bound of identifiers, and 0.
const HEADER: usize = 5;
const MAGIC: u32 = 0x0723_0203;
/// More identifiers than the specification allows.
const IDENTIFIERS: u32 = 0x0040_0000;

/// Returns the module's bound on identifiers, or `None` if it is not a module.
pub(crate) fn bound(module: &[u32]) -> Option<usize> {
    let bound = *module.get(3)?;
    (*module.first()? == MAGIC && bound < IDENTIFIERS).then_some(bound as usize)
}
