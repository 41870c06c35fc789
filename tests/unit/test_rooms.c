/* SPDX-License-Identifier: MIT */
/* NEEDS: lockstep_compiler_objects ls_base */
/* Phis lie at one place exactly where none is written while another one is asked for. */
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "base/arena.h"
#include "compiler/host/rooms.h"
#include "unit/test.h"

enum { MOST = 8 };

/* The places of a function's phis in their order. */
static unsigned
share(const char *text, unsigned place[MOST])
{
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMMemoryBufferRef source =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "rooms");
    struct ls_arena *arena = ls_arena_create();
    LLVMValueRef phis[MOST];
    LLVMModuleRef mod;
    char *why = NULL;
    unsigned n = 0;

    if (LLVMParseIRInContext(llvm, source, &mod, &why)) {
        EXPECT(!"the text is IR");
        return 0;
    }
    const struct ls_cfg *cfg = ls_cfg_build(arena, LLVMGetFirstFunction(mod));
    for (unsigned k = 0; k < cfg->n_blocks; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].bb); LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i))
            phis[n++] = i;
    memcpy(place, ls_rooms_share(arena, cfg, phis, n), n * sizeof(*place));
    ls_arena_destroy(arena);
    LLVMDisposeModule(mod);
    LLVMContextDispose(llvm);
    return n;
}

#define HEAD "define i32 @f(i1 %c, i32 %x) {\nentry:\n  br i1 %c, label %a, label %one\n"
#define ONE "a:\n  br label %one\none:\n  %p = phi i32 [ 1, %entry ], [ %x, %a ]\n"
#define TWO "  br i1 %c, label %b, label %two\nb:\n  %q = mul i32 %p, 3\n  br label %two\n"

/* What one phi hands on to the next one. */
LS_TEST(what_is_handed_on_shares)
{
    unsigned place[MOST];

    EXPECT_EQ(share(HEAD ONE TWO "two:\n  %r = phi i32 [ %p, %one ], [ %q, %b ]\n"
                                 "  ret i32 %r\n}\n",
                    place),
              2);
    EXPECT_EQ(place[0], place[1]);
}

/* The first one is asked for when the second one has been written. */
LS_TEST(who_is_asked_for_behind_keeps_its_own)
{
    unsigned place[MOST];

    EXPECT_EQ(share(HEAD ONE TWO "two:\n  %r = phi i32 [ %p, %one ], [ %q, %b ]\n"
                                 "  %s = add i32 %r, %p\n  ret i32 %s\n}\n",
                    place),
              2);
    EXPECT(place[0] != place[1]);
}

/* Two that take the same phi, and go apart. */
LS_TEST(twins_go_apart)
{
    unsigned place[MOST];

    EXPECT_EQ(share(HEAD ONE TWO "two:\n  %r = phi i32 [ %p, %one ], [ %q, %b ]\n"
                                 "  %t = phi i32 [ %p, %one ], [ %x, %b ]\n"
                                 "  %s = add i32 %r, %t\n  ret i32 %s\n}\n",
                    place),
              3);
    EXPECT_EQ(place[0], place[1]);
    EXPECT(place[1] != place[2]);
}

/* Another type at the same place. */
LS_TEST(types_go_apart)
{
    unsigned place[MOST];

    EXPECT_EQ(share("define i32 @f(i1 %c, i32 %x) {\nentry:\n  br i1 %c, label %a, label %one\n"
                    "a:\n  br label %one\n"
                    "one:\n  %p = phi i32 [ 1, %entry ], [ %x, %a ]\n"
                    "  %o = phi i1 [ true, %entry ], [ false, %a ]\n"
                    "  br i1 %o, label %b, label %two\nb:\n  br label %two\n"
                    "two:\n  %r = phi i32 [ %p, %one ], [ 7, %b ]\n  ret i32 %r\n}\n",
                    place),
              3);
    EXPECT(place[0] != place[1]);
    EXPECT_EQ(place[0], place[2]);
}

#define LOOP "define i32 @f(i1 %c, i32 %x) {\nentry:\n  br label %loop\nloop:\n"

/* A loop's phi and one within it; and as it was in the turn before. */
LS_TEST(loops_share_what_they_carry)
{
    unsigned place[MOST];

    EXPECT_EQ(share(LOOP "  %p = phi i32 [ %x, %entry ], [ %n, %join ]\n"
                         "  br i1 %c, label %then, label %join\n"
                         "then:\n  %q = add i32 %p, 1\n  br label %join\n"
                         "join:\n  %r = phi i32 [ %p, %loop ], [ %q, %then ]\n"
                         "  %n = mul i32 %r, 3\n"
                         "  br i1 %c, label %loop, label %out\nout:\n  ret i32 %n\n}\n",
                    place),
              2);
    EXPECT_EQ(place[0], place[1]);

    EXPECT_EQ(share(LOOP "  %p = phi i32 [ %x, %entry ], [ %n, %loop ]\n"
                         "  %r = phi i32 [ 0, %entry ], [ %p, %loop ]\n"
                         "  %n = mul i32 %p, 3\n  %d = icmp eq i32 %n, %r\n"
                         "  br i1 %d, label %out, label %loop\nout:\n  ret i32 %r\n}\n",
                    place),
              2);
    EXPECT(place[0] != place[1]);

    EXPECT_EQ(share(LOOP "  %p = phi i32 [ %x, %entry ], [ %r, %loop ]\n"
                         "  %r = phi i32 [ 0, %entry ], [ %p, %loop ]\n"
                         "  %d = icmp eq i32 %p, %r\n"
                         "  br i1 %d, label %out, label %loop\nout:\n  ret i32 %r\n}\n",
                    place),
              2);
    EXPECT(place[0] != place[1]);
}
