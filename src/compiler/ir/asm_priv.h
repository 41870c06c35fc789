/* SPDX-License-Identifier: MIT */
/* One piece of inline assembly while it is turned into code: its text (asm.c), operands and
 * registers (asm_operands.c), instructions (asm_do.c). */
#ifndef LS_IR_ASM_PRIV_H
#define LS_IR_ASM_PRIV_H

#include "compiler/ir/prepare_priv.h"

#define MAX_OPERANDS  40
#define MAX_REGISTERS 32
#define MAX_WORDS     8

/* An operand of the piece: its constraint, and its present value. */
struct ls_asm_operand {
    bool is_output, is_tied;
    unsigned tied_to;   /* number of the output whose first value this input is */
    char reg[16];       /* "{v0}": the register of that name; else empty */
    LLVMTypeRef type;   /* type of an output */
    LLVMValueRef value; /* NULL: an output that nothing was written to yet */
};

struct ls_asm_reg {
    char name[24];
    LLVMValueRef value; /* an i1 is a mask: each lane's bit of it */
};

/* One instruction: words behind the mnemonic, separated by commas, and modifiers behind the
 * last. */
struct ls_asm_text {
    char name[48];
    char word[MAX_WORDS][64];
    unsigned n_words;
    char modifiers[256];
};

struct ls_asm_piece {
    struct ls_cc *cc;
    LLVMValueRef call;
    LLVMBuilderRef b;
    struct ls_asm_operand operands[MAX_OPERANDS];
    unsigned n_operands, n_outputs;
    struct ls_asm_reg regs[MAX_REGISTERS];
    unsigned n_regs;
    bool clobbers_memory, is_void;
    const struct ls_asm_text *now;
};

/* Type of a letter of asm.def; also b: i8, t: three i32, x: four. */
LLVMTypeRef ls_asm_type(struct ls_asm_piece *p, char letter);
unsigned ls_asm_bits(struct ls_asm_piece *p, LLVMTypeRef type);
/* The same bits as another type; narrower values are extended by zeros, wider ones cut. */
LLVMValueRef ls_asm_as(struct ls_asm_piece *p, LLVMValueRef v, LLVMTypeRef type);
/* Calls llvm.*; args are turned into the parameters' types. NULL: there is no such intrinsic. */
LLVMValueRef ls_asm_intrinsic(struct ls_asm_piece *p, const char *name, LLVMTypeRef *overload,
                              unsigned n_overload, LLVMValueRef *args, unsigned n);
/* Diagnostic with the instruction's name; returns false. */
bool ls_asm_refuse(struct ls_asm_piece *p, const char *why);
struct ls_asm_reg *ls_asm_reg(struct ls_asm_piece *p, const char *name,
                              bool make); /* NULL: there is none, or no room for a further one */
/* "$3" -> 3; false for any other word. */
bool ls_asm_operand_number(const char *word, unsigned *n);
/* The value of a word: in the type that it has, or as the letter's type with the signs around it.
 * NULL after a diagnostic. */
LLVMValueRef ls_asm_word(struct ls_asm_piece *p, const char *word, LLVMTypeRef type);
LLVMValueRef ls_asm_source(struct ls_asm_piece *p, const char *word, char letter);
/* Stores a result to the place that a word names; the value that was there before. */
bool ls_asm_put(struct ls_asm_piece *p, const char *word, LLVMValueRef v);
LLVMValueRef ls_asm_old(struct ls_asm_piece *p, const char *word, char letter);

/* One instruction of the text (asm_do.c). */
bool ls_asm_instruction(struct ls_asm_piece *p, struct ls_asm_text *t);

#endif
