/* SPDX-License-Identifier: MIT */
/* Inline PTX of hipcc --cuda: each instruction of an asm statement becomes a statement of C++, by
 * ptx.def and the forms below. Registers are variables, predicates conditions, labels labels. What
 * stands nowhere is a call of a function of the host, which clang refuses where it would be run. */
#include "ptx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 16, MAX_OPERANDS = 12, MAX_TEXT = 512, MAX_LABELS = 16 };

struct row {
    const char *name, *ignored, *result, *sources, *code;
};

static const struct row rows[] = {
#define LS_PTX(name, ignored, result, sources, code) {name, ignored, result, sources, code},
#include "ptx.def"
#undef LS_PTX
};

static const struct {
    const char *name, *type;
} types[] = {
#define LS_PTX_TYPE(name, type) {name, type},
#include "ptx.def"
#undef LS_PTX_TYPE
};

static const struct {
    const char *name, *code;
} registers[] = {
#define LS_PTX_REGISTER(name, code) {name, code},
#include "ptx.def"
#undef LS_PTX_REGISTER
};

static const char *const roundings[] = {"rni", "rzi", "rmi", "rpi", "rna", "rn"};
static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                          "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                          "ltu", "leu", "gtu", "geu", "num", "nan"};

/* An instruction: its opcode, the words behind it, the operands. */
struct instruction {
    char text[MAX_TEXT], name[MAX_TEXT];
    char *op, *word[MAX_WORDS], *operand[MAX_OPERANDS];
    unsigned n_words, n_operands;
    const char *first, *second, *last; /* types by their names in C++; NULL = none */
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

__attribute__((format(printf, 2, 3))) static void
add(struct ls_buf *out, const char *format, ...)
{
    va_list args;
    char text[2 * MAX_TEXT];
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ls_buf_add(out, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static bool
listed(const char *const *list, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], word))
            return true;
    return false;
}

static const char *
type_of(const char *word)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (!strcmp(types[i].name, word))
            return types[i].type;
    return NULL;
}

static bool
has_word(const struct instruction *in, const char *word)
{
    for (unsigned i = 0; i < in->n_words; i++)
        if (!strcmp(in->word[i], word))
            return true;
    return false;
}

/* The word of the list that the instruction has, or NULL. */
static const char *
word_of(const struct instruction *in, const char *const *list, size_t n)
{
    for (unsigned i = 0; i < in->n_words; i++)
        if (listed(list, n, in->word[i]))
            return in->word[i];
    return NULL;
}

/* Whether all words but types are in the list. */
static bool
only_words(const struct instruction *in, const char *const *list, size_t n)
{
    for (unsigned i = 0; i < in->n_words; i++)
        if (!type_of(in->word[i]) && !listed(list, n, in->word[i]))
            return false;
    return true;
}

/* ---- Text to instruction ---- */

static char *
trimmed(char *text)
{
    size_t n;

    while (isspace((unsigned char)*text))
        text++;
    n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = 0;
    return text;
}

/* Parts `text` at commas outside of braces and brackets. */
static bool
split_operands(struct instruction *in, char *text)
{
    int depth = 0;
    char *from = text;

    if (!*trimmed(text))
        return true;
    for (char *at = text;; at++) {
        depth += (*at && strchr("{[(", *at)) - (*at && strchr("}])", *at));
        if (*at && (*at != ',' || depth > 0))
            continue;
        if (in->n_operands == MAX_OPERANDS)
            return false;
        bool last = !*at;
        *at = 0;
        in->operand[in->n_operands++] = trimmed(from);
        from = at + 1;
        if (last)
            return true;
    }
}

static bool
read_instruction(struct instruction *in, const char *text, size_t n)
{
    memset(in, 0, sizeof(*in));
    if (n >= MAX_TEXT)
        return false;
    memcpy(in->text, text, n);
    size_t length = strcspn(in->text, " \t\n\r\v\f[{");
    memcpy(in->name, in->text, length);
    if (!split_operands(in, in->text + length))
        return false;
    in->op = in->name;
    for (char *dot = strchr(in->name, '.'); dot; dot = strchr(dot, '.')) {
        *dot++ = 0;
        if (in->n_words == MAX_WORDS)
            return false;
        in->word[in->n_words++] = dot;
    }
    for (unsigned i = 0; i < in->n_words; i++) {
        const char *type = type_of(in->word[i]);

        in->second = in->second || !in->first ? in->second : type;
        in->first = in->first ? in->first : type;
        in->last = type ? type : in->last;
    }
    return true;
}

/* ---- Operands ---- */

static bool
is_name(const char *text)
{
    text += *text == '%';
    if (!isalpha((unsigned char)*text) && *text != '_' && *text != '$')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '$')
            return false;
    return true;
}

/* A register's name as C++ has it; other characters than letters and digits are `_`. */
static void
add_name(struct ls_buf *out, const char *prefix, const char *name, size_t n)
{
    ls_buf_add(out, prefix, strlen(prefix));
    for (size_t i = *name == '%' ? 1 : 0; i < n; i++)
        ls_buf_add(out, isalnum((unsigned char)name[i]) ? &name[i] : "_", 1);
}

/* The place that a word names: an operand of the statement, or a register. */
static bool
add_place(struct ls_buf *out, const char *word)
{
    if (*word == LS_PTX_OPERAND) {
        size_t n = strspn(word + 1, "0123456789");

        add(out, "ls_o%.*s", (int)n, word + 1);
        return n && word[1 + n] == 0;
    }
    if (!is_name(word))
        return false;
    add_name(out, "ls_r_", word, strlen(word));
    return true;
}

static bool
add_number(struct ls_buf *out, const char *word, const char *type)
{
    char *end;
    bool is_float = type && (!strcmp(type, "f32") || !strcmp(type, "f64") || !strcmp(type, "f16"));

    if (*word == '0' && word[1] && strchr("fF", word[1]) && strlen(word) == 10) {
        add(out, "ls_ptx::f32_bits(0x%s)", word + 2);
        return strspn(word + 2, "0123456789abcdefABCDEF") == 8;
    }
    if (*word == '0' && word[1] && strchr("dD", word[1]) && strlen(word) == 18) {
        add(out, "ls_ptx::f64_bits(0x%s)", word + 2);
        return strspn(word + 2, "0123456789abcdefABCDEF") == 16;
    }
    if (strchr(word, '.') && is_float) {
        strtod(word, &end);
        add(out, "(ls_ptx::%s)%s", type, word);
        return end != word && !*end;
    }
    unsigned long long value = strtoull(word, &end, 0);
    if (end == word || strspn(end, "Uu") != strlen(end) || *word == '+')
        return false;
    add(out, "0x%llxull", value);
    return true;
}

/* The bits of a source. */
static bool
add_bits(struct ls_buf *out, const char *word, const char *type)
{
    if (*word == '%')
        for (size_t i = 0; i < COUNT(registers); i++)
            if (!strcmp(word + 1, registers[i].name)) {
                add(out, "%s", registers[i].code);
                return true;
            }
    if (!strcmp(word, "WARP_SZ")) {
        add(out, "32u");
        return true;
    }
    if (isdigit((unsigned char)*word) || *word == '-')
        return add_number(out, word, type);
    return add_place(out, word);
}

static const char *
letter_type(const struct instruction *in, char letter)
{
    return letter == 'U'   ? in->first
           : letter == 'p' ? "pred"
           : letter == 'u' ? "u32"
           : letter == 'l' ? "u64"
                           : in->last;
}

/* A source as the type of the letter. */
static bool
add_source(struct ls_buf *out, const struct instruction *in, const char *word, char letter)
{
    const char *type = letter_type(in, letter);
    bool not = *word == '!';

    if (letter == 'i')
        return true;
    if (!type || (not &&letter != 'p'))
        return false;
    add(out,
        letter == 'W' ? "%sls_ptx::get<ls_ptx::twice_t<ls_ptx::%s>>("
                      : "%sls_ptx::get<ls_ptx::%s>(",
        not ? "!" : "", type);
    if (!add_bits(out, word + not, type))
        return false;
    add(out, ")");
    return true;
}

/* "ls_ptx::put(PLACE, "; `_` takes nothing. */
static bool
add_put(struct ls_buf *out, const char *word)
{
    if (!strcmp(word, "_")) {
        add(out, "(void)(");
        return true;
    }
    add(out, "ls_ptx::put(");
    bool good = add_place(out, word);
    add(out, ", ");
    return good;
}

/* "[a+4]" as a pointer of the instruction's type, by the space that its words name. */
static bool
add_address_bits(struct ls_buf *out, const char *operand)
{
    size_t n = strlen(operand);
    char inner[MAX_TEXT], *plus, *end;
    long offset = 0;

    if (n < 3 || *operand != '[' || operand[n - 1] != ']')
        return false;
    memcpy(inner, operand + 1, n - 2);
    inner[n - 2] = 0;
    if ((plus = strchr(inner, '+')) != NULL) {
        offset = strtol(plus + 1 + strspn(plus + 1, " \t"), &end, 0);
        if (*trimmed(end)) /* a constant of the statement */
            end = NULL;
        *plus = 0;
    }
    add(out, "(ls_ptx::get<ls_ptx::u64>(");
    if (!add_bits(out, trimmed(inner), "u64"))
        return false;
    add(out, ")");
    if (plus && end) {
        add(out, " + (%ld)", offset);
    } else if (plus) {
        add(out, " + ls_ptx::get<ls_ptx::s64>((ls_ptx::s64)");
        if (!add_bits(out, trimmed(plus + 1), "s64"))
            return false;
        add(out, ")");
    }
    add(out, ")");
    return true;
}

static bool
add_address(struct ls_buf *out, const struct instruction *in, const char *operand)
{
    static const char *const shared[] = {"shared", "shared::cta"};

    add(out, "ls_ptx::%s_of<ls_ptx::%s>(",
        word_of(in, shared, COUNT(shared)) ? "shared"
        : has_word(in, "local")            ? "local"
                                           : "generic",
        in->last ? in->last : "u8");
    bool good = in->last && strcmp(in->last, "pred") != 0 && add_address_bits(out, operand);
    add(out, ")");
    return good;
}

/* ---- Rows of the table ---- */

/* How many words the row has, and all are the instruction's; -1: not all, or the instruction has
 * others. */
static int
row_fits(const struct row *row, const struct instruction *in)
{
    static const char *const nothing[] = {"rn", "ftz", "approx", "full", "aligned"};
    char name[64], ignored[64], *rest = NULL;
    const char *mine[MAX_WORDS], *also[MAX_WORDS];
    unsigned n = 0, n_also = 0;

    strcpy(name, row->name);
    strcpy(ignored, row->ignored);
    if (strcmp(strtok_r(name, ".", &rest), in->op) != 0)
        return -1;
    for (char *word; (word = strtok_r(NULL, ".", &rest)); n++) {
        if (!has_word(in, word))
            return -1;
        mine[n] = word;
    }
    for (char *word = strtok_r(ignored, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        also[n_also++] = word;
    for (unsigned i = 0; i < in->n_words; i++) {
        const char *word = in->word[i];

        if (!type_of(word) && !listed(mine, n, word) && !listed(also, n_also, word) &&
            !listed(nothing, COUNT(nothing), word) && strcmp(row->ignored, "*") != 0 &&
            !(strstr(row->code, "$R") && listed(roundings, COUNT(roundings), word)) &&
            !(strstr(row->code, "$S") && !strcmp(word, "sat")) &&
            !(strstr(row->code, "$C") && listed(comparisons, COUNT(comparisons), word)))
            return -1;
    }
    return (int)n;
}

static const struct row *
row_of(const struct instruction *in)
{
    const struct row *best = NULL;
    int most = -1;

    for (size_t i = 0; i < COUNT(rows); i++) {
        int n = row_fits(&rows[i], in);

        if (n > most) {
            most = n;
            best = &rows[i];
        }
    }
    return best;
}

static bool
add_code(struct ls_buf *out, const struct row *row, const struct instruction *in)
{
    unsigned first = row->result[0] != 0;
    const char *word;

    for (const char *at = row->code; *at; at++) {
        if (*at != '$') {
            ls_buf_add(out, at, 1);
            continue;
        }
        switch (*++at) {
        case 'T':
        case 'U':
        case 'V':
            word = *at == 'T' ? in->last : *at == 'U' ? in->first : in->second;
            if (!word)
                return false;
            add(out, "ls_ptx::%s", word);
            break;
        case 'R':
            word = word_of(in, roundings, COUNT(roundings));
            add(out, "%s", word ? word : "none");
            break;
        case 'S':
            add(out, "%s", has_word(in, "sat") ? "true" : "false");
            break;
        case 'C':
            word = word_of(in, comparisons, COUNT(comparisons));
            if (!word)
                return false;
            add(out, "%s", word);
            break;
        default: {
            unsigned n = (unsigned)(*at - 'a');

            if (!add_source(out, in, in->operand[first + n], row->sources[n]))
                return false;
        }
        }
    }
    return true;
}

static bool
do_row(struct ls_buf *out, const struct instruction *in)
{
    const struct row *row = row_of(in);
    size_t n_sources = row ? strlen(row->sources) : 0;
    bool has_result = row && row->result[0];

    if (!row || in->n_operands != n_sources + has_result)
        return false;
    if (has_result) {
        const char *type = letter_type(in, row->result[0]);

        if (!add_put(out, in->operand[0]) || !type)
            return false;
        add(out, row->result[0] == 'W' ? "(ls_ptx::twice_t<ls_ptx::%s>)(" : "(ls_ptx::%s)(", type);
    }
    if (!add_code(out, row, in))
        return false;
    add(out, has_result ? "));" : ";");
    return true;
}

/* ---- Forms that no row has ---- */

/* "{a, b}" into its parts; 0: it is no vector, or has too many. */
static unsigned
split_vector(char *text, char **part)
{
    size_t n = strlen(text);
    unsigned count = 0;

    if (n < 2 || *text != '{' || text[n - 1] != '}')
        return 0;
    text[n - 1] = 0;
    for (char *at = text + 1; at; count++) {
        char *comma = strchr(at, ',');

        if (count == 8)
            return 0;
        if (comma)
            *comma++ = 0;
        part[count] = trimmed(at);
        at = comma;
    }
    return count;
}

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};

static const char *
scope_of(const struct instruction *in)
{
    const char *word = word_of(in, scopes, COUNT(scopes));

    return !word || !strcmp(word, "gpu") || !strcmp(word, "cluster") ? "__HIP_MEMORY_SCOPE_AGENT"
           : *word == 'c' ? "__HIP_MEMORY_SCOPE_WORKGROUP"
                          : "__HIP_MEMORY_SCOPE_SYSTEM";
}

static const char *
order_of(const struct instruction *in)
{
    return has_word(in, "acquire")   ? "__ATOMIC_ACQUIRE"
           : has_word(in, "release") ? "__ATOMIC_RELEASE"
           : has_word(in, "acq_rel") ? "__ATOMIC_ACQ_REL"
                                     : "__ATOMIC_RELAXED";
}

#define MEMORY_WORDS                                                                               \
    "global", "shared", "shared::cta", "local", "const", "cta", "cluster", "gpu", "sys",           \
        "relaxed", "acquire", "release", "acq_rel"

/* The statement is qualified so: it reads and writes as often as it says. */
static bool in_volatile;

static bool
do_memory(struct ls_buf *out, struct instruction *in)
{
    static const char *const known[] = {MEMORY_WORDS,
                                        "volatile",
                                        "weak",
                                        "nc",
                                        "ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "wb",
                                        "wt",
                                        "v2",
                                        "v4",
                                        "L1::no_allocate",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B"};
    bool is_load = *in->op == 'l';
    unsigned n = has_word(in, "v4") ? 4 : has_word(in, "v2") ? 2 : 1;
    char *part[8], how[128] = "";

    if (in->n_operands != 2 || !in->last || !only_words(in, known, COUNT(known)))
        return false;
    char *value = in->operand[is_load ? 0 : 1], *place = in->operand[is_load ? 1 : 0];
    if (n == 1)
        part[0] = value;
    else if (split_vector(value, part) != n)
        return false;
    bool is_atomic = has_word(in, "relaxed") || has_word(in, "acquire") || has_word(in, "release");
    if (is_atomic)
        snprintf(how, sizeof(how), ", %s, %s", order_of(in), scope_of(in));
    bool is_volatile = has_word(in, "volatile") || has_word(in, "cv") || has_word(in, "wt") ||
                       (in_volatile && !has_word(in, "nc"));
    const char *kind = is_atomic ? "_atomic" : is_volatile ? "_volatile" : "";
    if (is_load)
        add(out, "{ auto ls_v = ls_ptx::load%s<%u%s>(", kind, n, how);
    else
        add(out, "{ ls_ptx::many<ls_ptx::%s, %u> ls_v = {{", in->last, n);
    for (unsigned i = 0; !is_load && i < n; i++) {
        if (!add_source(out, in, part[i], 'T'))
            return false;
        add(out, i + 1 < n ? ", " : "}}; ");
    }
    if (!is_load)
        add(out, "ls_ptx::store%s<%u%s>(", kind, n, how);
    if (!add_address(out, in, place))
        return false;
    add(out, is_load ? "); " : ", ls_v); ");
    for (unsigned i = 0; is_load && i < n; i++) {
        if (!add_put(out, part[i]))
            return false;
        add(out, "ls_v.v[%u]); ", i);
    }
    add(out, "}");
    return true;
}

static bool
do_atomic(struct ls_buf *out, const struct instruction *in)
{
    static const char *const ops[] = {"and", "or",  "xor", "add",  "inc",
                                      "dec", "min", "max", "exch", "cas"};
    static const char *const known[] = {MEMORY_WORDS, "noftz", "and", "or",  "xor",  "add",
                                        "inc",        "dec",   "min", "max", "exch", "cas"};
    const char *op = word_of(in, ops, COUNT(ops));
    unsigned first = *in->op == 'a';

    if (!op || !only_words(in, known, COUNT(known)) ||
        in->n_operands != first + (strcmp(op, "cas") ? 2u : 3u))
        return false;
    if (first && !add_put(out, in->operand[0]))
        return false;
    add(out, "%sls_ptx::atom_%s<%s, %s>(", first ? "" : "(void)(", op, order_of(in), scope_of(in));
    if (!add_address(out, in, in->operand[first]))
        return false;
    for (unsigned i = first + 1; i < in->n_operands; i++) {
        add(out, ", ");
        if (!add_source(out, in, in->operand[i], 'T'))
            return false;
    }
    add(out, "));");
    return true;
}

/* "p|q" into both; without a bar the second is `_`. */
static void
split_pair(char *text, char **first, char **second)
{
    char *bar = strchr(text, '|');

    *second = "_";
    if (bar) {
        *bar = 0;
        *second = trimmed(bar + 1);
    }
    *first = trimmed(text);
}

static bool
do_setp(struct ls_buf *out, struct instruction *in)
{
    static const char *const unions[] = {"and", "or", "xor"}, *const signs[] = {"&&", "||", "!="};
    static const char *const known[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",
                                        "hi",  "hs",  "equ", "neu", "ltu", "leu", "gtu", "geu",
                                        "num", "nan", "and", "or",  "xor", "ftz"};
    const char *compare = word_of(in, comparisons, COUNT(comparisons)),
               *with = word_of(in, unions, COUNT(unions));
    char *p, *q;

    if (!compare || !in->last || !only_words(in, known, COUNT(known)) ||
        in->n_operands != (with ? 4 : 3))
        return false;
    split_pair(in->operand[0], &p, &q);
    add(out, "{ bool ls_c = ls_ptx::is_%s<ls_ptx::%s>(", compare, in->last);
    if (!add_source(out, in, in->operand[1], 'T'))
        return false;
    add(out, ", ");
    if (!add_source(out, in, in->operand[2], 'T'))
        return false;
    add(out, "), ls_d = ");
    if (with && !add_source(out, in, in->operand[3], 'p'))
        return false;
    const char *sign = with ? signs[*with == 'a' ? 0 : *with == 'o' ? 1 : 2] : "";
    add(out, with ? "; " : "false; ");
    if (!add_put(out, p))
        return false;
    add(out, with ? "(bool)(ls_c %s ls_d)); " : "ls_c%s); ", sign);
    if (!add_put(out, q))
        return false;
    add(out, with ? "(bool)(!ls_c %s ls_d)); }" : "!ls_c%s); (void)ls_d; }", sign);
    return true;
}

static bool
do_shuffle(struct ls_buf *out, struct instruction *in)
{
    static const char *const ways[] = {"up", "down", "bfly", "idx"}, *const known[] = {
                                                                         "up", "down", "bfly",
                                                                         "idx", "sync"};
    const char *way = word_of(in, ways, COUNT(ways));
    char *d, *p;

    if (!way || !only_words(in, known, COUNT(known)) ||
        in->n_operands != (has_word(in, "sync") ? 5 : 4))
        return false;
    split_pair(in->operand[0], &d, &p);
    add(out, "{ bool ls_c; ");
    if (!add_put(out, d))
        return false;
    add(out, "ls_ptx::shuffled<ls_ptx::%s>(", way);
    for (unsigned i = 1; i < 4; i++) {
        if (!add_source(out, in, in->operand[i], 'u'))
            return false;
        add(out, ", ");
    }
    add(out, "ls_c)); ");
    if (!add_put(out, p))
        return false;
    add(out, "ls_c); }");
    return true;
}

/* match.all and elect: a value and a predicate. */
static bool
do_two_results(struct ls_buf *out, struct instruction *in)
{
    bool is_match = *in->op == 'm';
    char *d, *p;

    if (in->n_operands != (is_match ? 3 : 2) || (is_match && !has_word(in, "all")))
        return false;
    split_pair(in->operand[0], &d, &p);
    add(out, "{ int ls_c; ls_ptx::u32 ls_m = ");
    if (!add_source(out, in, in->operand[in->n_operands - 1], 'u'))
        return false;
    add(out, "; ");
    if (!add_put(out, d))
        return false;
    if (is_match) {
        add(out, "(ls_ptx::u32)__match_all_sync(ls_m, ");
        if (!add_source(out, in, in->operand[1], 'T'))
            return false;
        add(out, ", &ls_c)); ");
    } else {
        add(out, "(ls_ptx::u32)(ls_c = __builtin_ctz(ls_m))); ls_c = ls_c == (int)__lane_id(); ");
    }
    if (!add_put(out, p))
        return false;
    add(out, "ls_c != 0); }");
    return true;
}

/* One register of several: mov.b64 d, {a, b} and back. */
static bool
do_mov(struct ls_buf *out, struct instruction *in)
{
    char *part[8];

    if (in->n_operands != 2 || !in->last)
        return false;
    unsigned n = split_vector(in->operand[1], part);
    if (n == 2 || n == 4) {
        if (!add_put(out, in->operand[0]))
            return false;
        add(out, "ls_ptx::pack<ls_ptx::%s>(", in->last);
        for (unsigned i = 0; i < n; i++) {
            add(out, i ? ", " : "");
            if (!add_bits(out, part[i], NULL))
                return false;
        }
        add(out, "));");
        return true;
    }
    n = n ? 0 : split_vector(in->operand[0], part);
    if (n != 2 && n != 4)
        return false;
    add(out, "{ ls_ptx::%s ls_v = ", in->last);
    if (!add_source(out, in, in->operand[1], 'T'))
        return false;
    add(out, "; ");
    for (unsigned i = 0; i < n; i++) {
        if (!add_put(out, part[i]))
            return false;
        add(out, "ls_ptx::part(ls_v, %u, %u)); ", i, n);
    }
    add(out, "}");
    return true;
}

/* The barrier of all threads, which has the number 0 and no count. */
static bool
do_barrier(struct ls_buf *out, const struct instruction *in)
{
    static const char *const known[] = {"sync", "aligned", "cta"};

    if (!has_word(in, "sync") || !only_words(in, known, COUNT(known)) || in->n_operands != 1 ||
        strcmp(in->operand[0], "0") != 0)
        return false;
    add(out, "__syncthreads();");
    return true;
}

static bool
do_copy(struct ls_buf *out, const struct instruction *in)
{
    static const char *const known[] = {"async",  "ca",      "cg",       "shared",  "shared::cta",
                                        "global", "L2::64B", "L2::128B", "L2::256B"};

    if (!only_words(in, known, COUNT(known)) || (in->n_operands != 3 && in->n_operands != 4))
        return false;
    add(out, "ls_ptx::copy_async<(ls_ptx::u32)(");
    if (!add_bits(out, in->operand[2], "u32"))
        return false;
    add(out, ")>(");
    if (!add_address_bits(out, in->operand[0]))
        return false;
    add(out, ", ");
    if (!add_address_bits(out, in->operand[1]))
        return false;
    add(out, ", ");
    const char *some = in->operand[in->n_operands - 1]; /* a size, or whether to copy nothing */
    bool not = *some == '!';
    add(out, "ls_ptx::copied((ls_ptx::u32)(");
    if (!add_bits(out, in->operand[2], "u32"))
        return false;
    add(out, "), %s", not ? "!" : "");
    if (!add_bits(out, some + not, "u32"))
        return false;
    add(out, "));");
    return true;
}

static bool
do_branch(struct ls_buf *out, const struct instruction *in)
{
    if (in->n_operands != 1 || !is_name(in->operand[0]))
        return false;
    add(out, "goto ");
    add_name(out, "ls_l_", in->operand[0], strlen(in->operand[0]));
    add(out, ";");
    return true;
}

static bool
do_one(struct ls_buf *out, struct instruction *in)
{
    bool vector = in->n_operands == 2 && (*in->operand[0] == '{' || *in->operand[1] == '{');

    if (!strcmp(in->op, "ld") || !strcmp(in->op, "ldu") || !strcmp(in->op, "st"))
        return do_memory(out, in);
    if (!strcmp(in->op, "atom") || !strcmp(in->op, "red"))
        return do_atomic(out, in);
    if (!strcmp(in->op, "setp"))
        return do_setp(out, in);
    if (!strcmp(in->op, "shfl"))
        return do_shuffle(out, in);
    if (!strcmp(in->op, "elect") || (!strcmp(in->op, "match") && has_word(in, "all")))
        return do_two_results(out, in);
    if (!strcmp(in->op, "mov") && vector)
        return do_mov(out, in);
    if (!strcmp(in->op, "bra"))
        return do_branch(out, in);
    if (!strcmp(in->op, "barrier") || (!strcmp(in->op, "bar") && !has_word(in, "warp")))
        return do_barrier(out, in);
    if (!strcmp(in->op, "cp") && (has_word(in, "ca") || has_word(in, "cg")))
        return do_copy(out, in);
    return do_row(out, in);
}

/* ---- Statements ---- */

/* A declaration of registers: ".reg .b32 a, b<4>". */
static bool
do_declaration(struct ls_buf *out, const char *text, size_t n)
{
    struct instruction in;
    char words[MAX_TEXT], *at, *type, *rest = NULL;

    if (n >= sizeof(words))
        return false;
    memcpy(words, text, n);
    words[n] = 0;
    if (!strncmp(words, ".pragma", 7))
        return true;
    at = strtok_r(words, " \t\n", &rest);
    if (!at || strcmp(at, ".reg") != 0 || !(type = strtok_r(NULL, " \t\n", &rest)) ||
        *type != '.' || !type_of(type + 1))
        return false;
    memset(&in, 0, sizeof(in));
    if (!split_operands(&in, rest))
        return false;
    for (unsigned i = 0; i < in.n_operands; i++) {
        char *name = in.operand[i], *count = strchr(name, '<');
        unsigned long many = count ? strtoul(count + 1, NULL, 10) : 0;

        if (count)
            *count = 0;
        if (!is_name(name) || many > 64 || (count && !many))
            return false;
        for (unsigned long k = 0; k < (count ? many : 1); k++) {
            add(out, "ls_ptx::%s ", type_of(type + 1));
            add_name(out, "ls_r_", name, strlen(name));
            if (count)
                add(out, "%lu", k);
            add(out, "; ");
        }
    }
    return true;
}

/* In place of what is not supported: clang says so if this is device code that is needed. */
static void
refuse(struct ls_buf *out, const char *text, size_t n)
{
    struct ls_buf name = {0};

    for (size_t i = 0; i < n && name.n < 150 && !isspace((unsigned char)text[i]); i++)
        ls_buf_add(&name, isalnum((unsigned char)text[i]) ? &text[i] : "_", 1);
    add(out, "{ void PTX_is_not_supported_%.*s(); PTX_is_not_supported_%.*s(); }", (int)name.n,
        name.data ? name.data : "", (int)name.n, name.data ? name.data : "");
    free(name.data);
}

/* "@p" or "@!p" in front of an instruction becomes a condition; what is behind. */
static const char *
do_guard(struct ls_buf *out, const char *text, const char *end)
{
    char name[64];
    size_t n;

    if (*text != '@')
        return text;
    bool not = text[1] == '!';
    text += 1 + not ;
    while (text < end && isspace((unsigned char)*text))
        text++;
    for (n = 0; text < end && !isspace((unsigned char)*text) && n + 1 < sizeof(name);)
        name[n++] = *text++;
    name[n] = 0;
    add(out, "if (%s", not ? "!" : "");
    if (!add_place(out, name))
        return NULL;
    add(out, ") ");
    while (text < end && isspace((unsigned char)*text))
        text++;
    return text;
}

static void
do_statement(struct ls_buf *out, const char *text, const char *end)
{
    size_t from = out->n;
    struct instruction in;
    const char *behind;

    if (*text == '.') {
        if (!do_declaration(out, text, (size_t)(end - text))) {
            out->n = from;
            refuse(out, text, (size_t)(end - text));
        }
        return;
    }
    behind = do_guard(out, text, end);
    add(out, "{ ");
    if (!behind || !read_instruction(&in, behind, (size_t)(end - behind)) || !do_one(out, &in)) {
        out->n = from;
        refuse(out, behind ? behind : text, (size_t)(end - (behind ? behind : text)));
        return;
    }
    add(out, " }");
}

/* The length of "name:" at the start of a statement, or 0. */
static size_t
label_length(const char *text, const char *end)
{
    const char *at = text + (*text == '$' || *text == '%');

    while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '$'))
        at++;
    return at > text && at < end && *at == ':' && at[1] != ':' ? (size_t)(at - text) : 0;
}

/* Calls for each statement, label and brace; `declare`: labels alone. */
static void
walk(struct ls_buf *out, const char *text, size_t n, bool declare)
{
    const char *end = text + n, *at = text;

    while (at < end) {
        if (isspace((unsigned char)*at) || *at == ';') {
            at++;
            continue;
        }
        if (*at == '{' || *at == '}') {
            if (!declare)
                ls_buf_add(out, at, 1);
            at++;
            continue;
        }
        size_t label = label_length(at, end);
        if (label) {
            add(out, declare ? "__label__ " : "");
            add_name(out, "ls_l_", at, label);
            add(out, declare ? "; " : ":; ");
            at += label + 1;
            continue;
        }
        const char *stop = memchr(at, ';', (size_t)(end - at));
        stop = stop ? stop : end;
        /* "}" may end a block without a semicolon */
        const char *last = stop;
        int depth = 0;
        for (const char *c = at; c < stop; c++) {
            depth += (*c == '{') - (*c == '}');
            if (depth < 0) {
                last = c;
                break;
            }
        }
        const char *cut = last;
        while (cut > at && isspace((unsigned char)cut[-1]))
            cut--;
        if (!declare)
            do_statement(out, at, cut);
        at = last;
    }
}

/* Without comments; line ends stay. */
static void
strip_comments(struct ls_buf *text)
{
    size_t to = 0;

    for (size_t i = 0; i < text->n;) {
        const char *at = text->data + i;
        size_t left = text->n - i;

        if (left > 1 && at[0] == '/' && at[1] == '/') {
            const char *end = memchr(at, '\n', left);

            i += end ? (size_t)(end - at) : left;
        } else if (left > 1 && at[0] == '/' && at[1] == '*') {
            const char *end = left > 3 ? memmem(at + 2, left - 2, "*/", 2) : NULL;

            i += end ? (size_t)(end - at) + 2 : left;
            text->data[to++] = ' ';
        } else {
            text->data[to++] = text->data[i++];
        }
    }
    text->n = to;
}

/* Whether braces are in pairs, so that they can be C++'s. */
static bool
balanced(const struct ls_buf *text)
{
    int depth = 0;

    for (size_t i = 0; i < text->n && depth >= 0; i++)
        depth += (text->data[i] == '{') - (text->data[i] == '}');
    return depth == 0;
}

static const char *
find(const struct ls_buf *text, const char *what)
{
    return text->n ? memmem(text->data, text->n, what, strlen(what)) : NULL;
}

void
ls_ptx_statements(const struct ls_buf *text, bool is_volatile, struct ls_ptx_carry *carry,
                  struct ls_buf *out)
{
    struct ls_buf own = {0};

    in_volatile = is_volatile;
    ls_buf_add(&own, text->data, text->n);
    strip_comments(&own);
    const char *made = find(&own, ".cc"), *used = find(&own, "addc"), *other;
    if ((other = find(&own, "subc")) != NULL && (!used || other < used))
        used = other;
    if ((other = find(&own, "madc")) != NULL && (!used || other < used))
        used = other;
    bool takes = used && (!made || made > used);
    carry->is_taken |= takes;
    carry->is_made |= made != NULL;
    const char *why = !balanced(&own)               ? "braces_that_are_not_in_pairs"
                      : takes && !carry->is_kept ? "a_carry_of_another_statement"
                                                 : NULL;
    if (why) {
        refuse(out, why, strlen(why));
        free(own.data);
        return;
    }
    walk(out, own.data, own.n, true);
    if (made || used)
        add(out, "bool ls_cc = %s, ls_lost; (void)ls_cc; (void)ls_lost; ",
            takes ? "__ls_carry_in() != 0" : "false");
    walk(out, own.data, own.n, false);
    if (made && carry->is_kept)
        add(out, " __ls_carry_out(ls_cc);");
    free(own.data);
}

bool
ls_ptx_is_one(const struct ls_buf *text)
{
    char op[64];
    size_t at = 0, n = 0;

    while (at < text->n && (isspace((unsigned char)text->data[at]) || text->data[at] == '{'))
        at++;
    while (at < text->n && n + 1 < sizeof(op) &&
           (isalnum((unsigned char)text->data[at]) || text->data[at] == '_'))
        op[n++] = text->data[at++];
    op[n] = 0;
    if (at < text->n && text->data[at] == '@')
        return true;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (n && !strncmp(rows[i].name, op, n) && strchr(".", rows[i].name[n]))
            return true;
    return !strcmp(op, "bar") || !strcmp(op, "barrier") || !strcmp(op, "st") || !strcmp(op, "ld") ||
           !strcmp(op, "red") || !strcmp(op, "cp") || !strcmp(op, "fence");
}
