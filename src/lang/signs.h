/* Private to lang: the signs of the language. */
#ifndef LANG_SIGNS_H
#define LANG_SIGNS_H

#include "ir/ir.h"

/* Signs, longer ones first. `precedence`: of the binary operator; 0: it is none. `op`: of the
 * binary operator, or of the operator in an assignment; CONST: there is none. */
#define LANG_SIGNS(X)                                                                              \
    X(SHL_ASSIGN, "<<=", 0, SHL)                                                                   \
    X(SHR_ASSIGN, ">>=", 0, SHR)                                                                   \
    X(INCREMENT, "++", 0, ADD)                                                                     \
    X(DECREMENT, "--", 0, SUB)                                                                     \
    X(ADD_ASSIGN, "+=", 0, ADD)                                                                    \
    X(SUB_ASSIGN, "-=", 0, SUB)                                                                    \
    X(MUL_ASSIGN, "*=", 0, MUL)                                                                    \
    X(DIV_ASSIGN, "/=", 0, DIV)                                                                    \
    X(REM_ASSIGN, "%=", 0, REM)                                                                    \
    X(AND_ASSIGN, "&=", 0, AND)                                                                    \
    X(OR_ASSIGN, "|=", 0, OR)                                                                      \
    X(XOR_ASSIGN, "^=", 0, XOR)                                                                    \
    X(ARROW, "->", 0, CONST)                                                                       \
    X(BOTH, "&&", 2, AND)                                                                          \
    X(EITHER, "||", 1, OR)                                                                         \
    X(EQ, "==", 6, EQ)                                                                             \
    X(NE, "!=", 6, NE)                                                                             \
    X(LE, "<=", 7, LE)                                                                             \
    X(GE, ">=", 7, LE)                                                                             \
    X(SHL, "<<", 8, SHL)                                                                           \
    X(SHR, ">>", 8, SHR)                                                                           \
    X(LT, "<", 7, LT)                                                                              \
    X(GT, ">", 7, LT)                                                                              \
    X(ADD, "+", 9, ADD)                                                                            \
    X(SUB, "-", 9, SUB)                                                                            \
    X(MUL, "*", 10, MUL)                                                                           \
    X(DIV, "/", 10, DIV)                                                                           \
    X(REM, "%", 10, REM)                                                                           \
    X(AND, "&", 5, AND)                                                                            \
    X(XOR, "^", 4, XOR)                                                                            \
    X(OR, "|", 3, OR)                                                                              \
    X(ASSIGN, "=", 0, CONST)                                                                       \
    X(INVERT, "~", 0, CONST)                                                                       \
    X(NOT, "!", 0, CONST)                                                                          \
    X(QUESTION, "?", 0, CONST)                                                                     \
    X(COLON, ":", 0, CONST)                                                                        \
    X(COMMA, ",", 0, CONST)                                                                        \
    X(SEMICOLON, ";", 0, CONST)                                                                    \
    X(DOT, ".", 0, CONST)                                                                          \
    X(PAREN_OPEN, "(", 0, CONST)                                                                   \
    X(PAREN_CLOSE, ")", 0, CONST)                                                                  \
    X(INDEX_OPEN, "[", 0, CONST)                                                                   \
    X(INDEX_CLOSE, "]", 0, CONST)                                                                  \
    X(BLOCK_OPEN, "{", 0, CONST)                                                                   \
    X(BLOCK_CLOSE, "}", 0, CONST)

typedef enum lang_sign {
#define X(name, ...) LANG_SIGN_##name,
    LANG_SIGNS(X)
#undef X
        LANG_SIGN_COUNT
} lang_sign;

typedef struct lang_sign_info {
    const char *text;
    int precedence;
    ir_op op;
} lang_sign_info;
extern const lang_sign_info lang_signs[LANG_SIGN_COUNT];

#endif
