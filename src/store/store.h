/* store: where field values live. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "abi/abi.h"
#include "chain/chain.h"
#include "codegen/codegen.h"
#include "device/device.h"
#include "plan/plan.h"
#include "port/port.h"
#include "store/device_values.h"

/* Values of a field in memory. Element (x,y,z) of component c is store_element from `data`: along x
 * points follow one another at pitch_x, in blocks of `block` points that are pitch_x apart where
 * block is not 1. Own memory has rows padded and aligned to 64 bytes. */
typedef struct store_array {
    kata_type type;
    int components;
    grid_box box;  /* the indices that it has */
    grid_box room; /* that own memory is for; what is outside of the box is lost when that moves */
    int64_t block;
    int64_t pitch_x, pitch_y, pitch_z, pitch_component; /* in elements */
    void *data;                                         /* component 0 of the point (0,0,0) */
    void *memory;                                       /* all of it: `bytes` bytes */
    size_t bytes;                                       /* 0: the memory is the program's */
    int64_t stays; /* a number of its own, while all of this stays as it is; 0: it may not */
    _Atomic int64_t around;  /* whose constants lie around the values; 0: nobody's */
    struct store_pool *pool; /* where own memory is from and returns to; NULL: the system */
    struct port_file *file;  /* that the memory is mapped to; NULL: none */
    bool kept;               /* it stays in memory, however little the limit leaves for others */
    bool nowhere;            /* it has no values: its memory must not be touched */
    device *pins;            /* whose driver was asked to pin the memory; NULL: none */
    bool pinned;             /* and has pinned it */
    bool ring;               /* it holds some planes of the field */
    const int32_t *place;    /* of an element along `placed`, as in grid_places; or NULL */
    int placed;
} store_array;

/* ---- pool.c: memory of the arrays of a context ----------------------------------------------- */

struct store_pool;
/* NULL when memory is out. */
struct store_pool *store_pool_new(void);
void store_pool_free(struct store_pool *pool);
/* Gives memory back to the system: all that waits, or what has waited for some chains. */
void store_pool_empty(struct store_pool *pool);
void store_pool_end_chain(struct store_pool *pool);
/* What fields of a program need together, `bytes` more or less than before; and how much memory
 * they may take, 0: any. If they need more, arrays of large fields are files on the disk of a
 * folder: those that no longer fit a quarter of the limit. The rest is for planes that move in. */
void store_pool_declare(struct store_pool *pool, int64_t bytes);
int64_t store_pool_declared(const struct store_pool *pool);
bool store_pool_limit(struct store_pool *pool, int64_t bytes, const char *folder);
/* Whether the fields of the program need more than the limit. */
bool store_pool_is_short(const struct store_pool *pool);
/* The folder of files; NULL where there is no limit. */
const char *store_pool_folder(const struct store_pool *pool);
/* Whether files have been made, by the process that this one was forked from: both see them. */
bool store_pool_is_inherited(const struct store_pool *pool);
/* Of the limit, what arrays in memory leave. */
int64_t store_pool_left(const struct store_pool *pool);
/* From now on arrays have room for what a kernel reads around a field, where that costs little:
 * otherwise they move when they are first read there. `found`: the program has asked for it; where
 * there is a limit, only such kernels count, once there are some that read around a point. */
void store_pool_expect(struct store_pool *pool, const ir_kernel *kernel, bool found);
/* But only at sides where some field has a boundary rule: nothing is read beyond others. */
void store_pool_meet_rules(struct store_pool *pool, const grid_boundary *boundary);

/* ---- address.c ------------------------------------------------------------------------------- */

int store_type_bytes(kata_type type);
const char *store_type_name(kata_type type); /* "f64" */

/* Distance in elements of a point from the first one of its row; x may be negative. */
int64_t store_along_x(const store_array *a, int64_t x);
/* Distance in elements from component 0 of the point (0,0,0); indices may be outside. */
int64_t store_element(const store_array *a, int component, const int64_t index[3]);
void *store_address(const store_array *a, int component, const int64_t index[3]);

/* An element as it is stored, in the first bytes of a value, at an index inside the array; all zero
 * where there is no array. */
ir_value store_get_element(const store_array *a, int component, const int64_t index[3]);
void store_set_element(store_array *a, int component, const int64_t index[3], ir_value element);

/* ---- array.c: own memory --------------------------------------------------------------------- */

/* Sets block and pitches of a layout without padding between planes: those of rows of at least
 * `points` points. Returns the bytes of a row, a multiple of 64; -1 when they overflow. */
int64_t store_lay_row(store_array *a, kata_layout layout, int64_t points);

/* All zero, for a box that holds (0,0,0). NULL when memory is out or the size overflows. */
store_array *store_array_new(const grid_box *box, kata_type type, int components,
                             kata_layout layout);
/* The same with the type, components, box, room and pool of another. `zero`: all values are zero;
 * otherwise they are to be set before they are read. */
store_array *store_array_make(const store_array *like, kata_layout layout, bool zero);
/* Whether a room takes at most a few times the memory of a box; bytes: of a point. */
bool store_is_fair_room(const grid_box *box, const grid_box *room, int64_t bytes);
/* Sees to it that there is memory for the indices of a box, moving the values where there is not. A
 * no-op that returns false for memory of the program, or where memory is out or the room would not
 * be fair. */
bool store_array_extend(store_array *a, const grid_box *to);
/* An array with values of its own, equal to those of another; NULL when memory is out. */
store_array *store_array_copy(const store_array *a);
void store_array_free(store_array *a);

/* ---- window.c: memory for some indices of a field -------------------------------------------- */

typedef struct store_window {
    chain_slot slot;     /* like the field's; its array is the window */
    store_array array;   /* its `data` moves, its other members do not change */
    store_array *memory; /* NULL: none */
    grid_box held;       /* the indices that it holds now */
    grid_box shown;      /* those of them that may have values */
    int64_t behind[3];   /* how many indices are needed at once, at most; 0: all */
    int64_t moves;       /* how often `data` was set */
    bool empty;
} store_window;

/* False where the indices touched lie so far outside that a window dwarfs its field. */
bool store_window_fits(const chain_slot *field, const int64_t capacity[3], const grid_box *touched);
/* For contiguous rows. `capacity`: as of a plan's buffer. `moves`: dimensions in which boxes move
 * on before it is cleared. `touched` holds all that is ever touched. False when memory is out. */
bool store_window_make(store_window *w, const chain_slot *field, const int64_t capacity[3],
                       const bool moves[3], const grid_box *touched);
void store_window_free(store_window *w);
void store_window_clear(store_window *w, bool poison); /* with `poison` its values are unset */
/* Moves it to hold a box that is touched next. Values farther behind than the plan needs are lost.
 */
void store_window_show(store_window *w, const grid_box *box);

/* ---- ring.c: planes of a field in a file ----------------------------------------------------- */

/* Memory for some planes of a field whose array is a file: those that follow one another along its
 * slowest dimension. They take turns in it, and the ring lies once more behind itself: so the
 * values of any planes that fit lie as in an array. Components with arrays of their own have rings
 * of their own, or large planes beside one another in one ring. Planes behind the array's last ones
 * are its first ones again, a period behind. */
typedef struct store_ring {
    chain_slot slot;   /* like the field's; its array is the ring */
    store_array array; /* its `data` moves, its other members do not change */
    const store_array *home;
    int dimension;
    int64_t period;       /* plane `period` is plane 0 again; 0: the field ends */
    size_t plane_bytes;   /* of a component */
    size_t stride, bytes; /* from plane to plane; of the ring, or of each component's */
    int times;            /* rings */
    void *memory;
} store_ring;

/* The dimension along which planes follow one another. */
int store_ring_dimension(const chain_slot *slot);
/* Whether a field is in a file that rings suit: those of a field of one plane are of its rows, and
 * have no room for planes around it. */
bool store_ring_suits(const chain_slot *slot);
/* The bytes of a ring. */
size_t store_ring_bytes(const chain_slot *field, int64_t planes);
/* `period`: planes from there on are the first ones again; 0: there are none. False when memory is
 * out. */
bool store_ring_make(store_ring *ring, const chain_slot *field, int64_t planes, int64_t period);
void store_ring_free(store_ring *ring);
/* Sets its data so that the planes from `first` on are found. */
void store_ring_show(store_ring *ring, int64_t first);
/* Starts to move planes, which it shows then, from the field's file or to it. False when memory is
 * out. */
bool store_ring_move(store_ring *ring, struct port *port, bool out, int64_t first, int64_t end);

/* ---- rim.c: what lies around a box in the planes of a field in a file ---------------------------
 *
 * Kept in memory while the file has it, too. Of each plane it is not known, known, or coming: it is
 * in a ring when moves that were started have ended. */

typedef struct store_rim {
    grid_box all, inside; /* along the planes' dimension, `inside` does not count */
    int dimension;
    size_t bytes; /* of a plane */
    char *values, *planes;
    int64_t first, end; /* planes that are coming lie there */
} store_rim;

size_t store_rim_bytes(const chain_slot *field, const grid_box *inside);
/* No plane is known. False when memory is out. */
bool store_rim_make(store_rim *rim, const chain_slot *field, const grid_box *inside);
void store_rim_free(store_rim *rim);
/* No plane is known any more. */
void store_rim_forget(store_rim *rim);
/* Planes of a ring have what is in the file, or will be: they are known. */
void store_rim_take(store_rim *rim, store_ring *ring, int64_t first, int64_t end);
/* Planes are coming; all that are coming are there. */
void store_rim_expect(store_rim *rim, int64_t first, int64_t end);
void store_rim_come(store_rim *rim, store_ring *ring);
/* Gives a ring the rim of planes from *first to `end`, up to one that is not known: then *first is
 * that one, and the result false. */
bool store_rim_give(store_rim *rim, store_ring *ring, int64_t *first, int64_t end);

/* ---- wrap.c: memory of the program ----------------------------------------------------------- */

/* An array on memory that is not freed with it: type, components, shape, pitches and data as given,
 * block 1. NULL when memory is out. */
store_array *store_array_wrap(const store_array *as);
/* Sets pitches that are 0: that of x to 1, the others to the one before (x, y, z, component) times
 * the points there; and that of x to 1 where there is one point. False when they overflow. */
bool store_wrap_complete(store_array *a);
/* Looks whether every stride is at least as long as all that lies inside of it, so that no two
 * elements share an address: -1, or a stride (0 to 2: a dimension, 3: components) that is not;
 * *within: how many elements lie inside. */
int store_wrap_overlap(const store_array *a, int64_t *within);
/* The lowest and the past-highest byte that an array reaches; false when they are no addresses. */
bool store_wrap_span(const store_array *a, uintptr_t *low, uintptr_t *high);
/* Whether two wrapped arrays have a byte in common. Where they lie among one another with strides
 * that differ, that is not looked into: true. */
bool store_wrap_shared(const store_array *a, const store_array *b);

/* ---- copy.c ---------------------------------------------------------------------------------- */

/* Sets all values to those of an array of equal box, type and components. */
void store_assign(store_array *a, const store_array *from);
/* Copies a box (of indices that the array has) to or from plain order (x fastest, then y, z,
 * component), converted between floating types, f64 and others as a kernel in double would and
 * others as one in float; u8 and unorm8 are each other's bytes; other types must be equal. `a` NULL
 * in store_read means all zero. */
void store_read(const store_array *a, const grid_box *box, int components, kata_type type,
                void *values);
void store_write(store_array *a, const grid_box *box, kata_type type, const void *values);
/* The same for the elements of one row, not converted. */
void store_read_row(const store_array *a, int component, const int64_t start[3], int64_t count,
                    void *elements);
void store_write_row(store_array *a, int component, const int64_t start[3], int64_t count,
                     const void *elements);
/* What poisoned memory starts with: NaN, of integers 0x5a in every byte. */
void store_fill_unset(kata_type type, void *data, size_t bytes);
/* NaN, or 0 for types that have none, everywhere: of wrapped memory, elements and nothing else. */
void store_poison(store_array *a);
/* The same for count values. */
void store_poison_values(kata_type type, void *values, int64_t count);
/* Whether store_read and store_write convert between two types. */
bool store_converts(kata_type a, kata_type b);

/* ---- home.c: where the values of fields and scalars live ------------------------------------- */

/* How the rows of a slot of `components` components lie, also before it has an array. */
codegen_rows store_slot_rows(const chain_slot *slot);
/* The slot's array, made (all zero, or poisoned) when it has none; NULL when memory is out. */
store_array *store_slot_array(chain_slot *slot);
/* Makes it with room for more indices, too. `zero` as in store_array_make. */
store_array *store_slot_array_with(chain_slot *slot, const grid_box *room, bool zero);
/* Moves it to a file where arrays in memory take more than their part of the limit, unless it is
 * kept; or, `always`, in any case. False when the file cannot be had. */
bool store_slot_send_away(chain_slot *slot, bool always);
/* Keeps its array in memory, where its values come to if they are in a file. False when memory is
 * out. */
bool store_slot_keep(chain_slot *slot);
/* The bytes that its array has, or will have. */
int64_t store_slot_bytes(const chain_slot *slot);
/* Those of one of the planes that rings hold. */
int64_t store_slot_plane_bytes(const chain_slot *slot);
/* Says whether its values are in a file, of which planes may move to memory (chain_slot.far). */
void store_slot_place(chain_slot *slot);
/* Why the latest array had no room on the disk of *folder; NULL where it is memory that is out. */
const char *store_no_disk(const chain_slot *slot, const char **folder);
/* Makes it, of the field of that name, or of all fields of a loop; says which finds no memory. */
kata_status store_make_array(chain_slot *slot, const char *name, messages *m);
kata_status store_no_memory(const chain_slot *slot, const char *name, messages *m);
kata_status store_make_arrays(const chain_loop *loop, messages *m);
/* An element of a scalar, in the slot's type. */
ir_value store_scalar(const chain_slot *slot, int element);
/* Enters the values that a loop has written to scalars in their logs. */
void store_log(const chain_loop *loop);
/* False when memory is out. */
bool store_scalar_set(chain_slot *slot, int element, ir_value value);

/* ---- piece.c: boxes of values, piece by piece ------------------------------------------------ */

/* Values of some components of a field. */
typedef struct store_values {
    grid_box box;
    int first, components;
} store_values;

/* Of the points of a box that is not empty, counted in plain order, number `first` and those that
 * follow: a box of at most `most` of them, and of one at least. */
grid_box store_piece(const grid_box *all, int64_t first, int64_t most);
/* Some components of an array, as an array that has no memory of its own. */
store_array store_components(const store_array *a, int first, int count);
/* Copies values of a slot that is whole, as store_read does, whether it has an array or not. */
void store_read_slot(const chain_slot *slot, const store_values *of, kata_type type, void *values);

/* ---- part.c: fields that are dealt out to ranks ------------------------------------------------
 *
 * Each rank has the values of some indices, and copies of values that its neighbours have. */

/* What a rank has of a field. */
typedef struct store_part {
    chain_slot slot; /* for loops that run on this rank: like the field's, with an array of `held`.
                        Along dimensions that are cut it has ghosts: no rule applies at indices
                        beyond a periodic side */
    grid_box held;   /* indices that there is memory for: around all boxes of its own. Between them
                        some may have no values */
    plan_home home;  /* how far around its own boxes it has the values of other ranks */
    bool changed;    /* by this rank alone: others do not know it yet */
} store_part;

/* Gives a slot a part, or one with more memory: `margin` indices beyond its own along dimensions
 * that are cut, also beyond the grid's sides where these wrap. Values come from the part before,
 * or, of a slot with none, from its array, which is freed; beyond sides that wrap, from indices a
 * period away. False when memory is out. */
bool store_part_fit(chain_slot *slot, const plan_ranks *ranks, const int64_t margin[3],
                    const bool wraps[3]);
/* Whether that would change nothing. */
bool store_part_fits(const chain_slot *slot, const plan_ranks *ranks, const int64_t margin[3],
                     const bool wraps[3]);
void store_part_free(chain_slot *slot);
/* Frees the memory that a slot has for all of its values. */
void store_drop_whole(chain_slot *slot);

/* ---- pack.c -------------------------------------------------------------------------------------
 */

/* Copies a box between an array and memory without gaps, row by row, in the order x, y, z,
 * component. Returns the bytes. */
size_t store_box_bytes(const store_array *a, const grid_box *box);
void store_pack(const store_array *a, const grid_box *box, void *to);
void store_unpack(store_array *a, const grid_box *box, const void *from);
/* Copies a box between arrays of one type; in `from` it lies moved by `shift`. */
void store_copy_box(store_array *to, const store_array *from, const grid_box *box,
                    const int64_t shift[3]);

/* ---- device_turns.c: memory of a device in which planes take turns --------------------------- */

typedef struct store_turns store_turns;
void store_turns_free(store_turns *t); /* after all work on it; NULL is nothing */
/* Forgets whose planes lie there, for all work on them is done. Returns whether it has known. */
bool store_turns_settle(store_turns *t);
/* Whether it suits a ring of a field that needs so many bytes. */
typedef enum store_suits { STORE_NOT, STORE_NOBODYS, STORE_OWN } store_suits;
store_suits store_turns_suit(const store_turns *t, const chain_slot *field, int64_t bytes);
int64_t store_turns_bytes(const store_turns *t);

/* ---- device_ring.c: planes of a field on a device --------------------------------------------
 * Where the device has memory in which planes take turns, and they are not too small for it, they
 * lie there; otherwise in a window with room for some more than are needed at once: when its end is
 * reached, those that are still needed go back to its beginning. */

typedef struct store_device_ring {
    chain_slot slot;        /* like the field's; its copy on the device is `on` */
    store_device on;        /* of the planes in its room; they move on */
    int dimension;          /* along which planes follow one another */
    int64_t planes;         /* that there is memory for */
    int64_t period;         /* plane `period` is plane 0 again; 0: the field ends */
    grid_box moved;         /* the indices that are moved in and out */
    int64_t before, behind; /* see store_device_span */
    bool leaves;            /* planes are moved out */
    int64_t low, out, high; /* planes below are touched no more, moved out; have had values */
    store_turns *turns;     /* NULL: a window */
    int64_t zero, begun;    /* where plane 0, and its first one, lie of all that take turns */
    int64_t home;           /* where plane 0 lay when they were there before; STORE_NOWHERE */
} store_device_ring;

/* What a ring is for. */
typedef struct store_device_span {
    grid_box touched;       /* all indices that loops touch, or that rules make values of */
    grid_box inside;        /* those that are the field's, by its rules */
    int64_t planes;         /* needed at once, with those that are read beside */
    int64_t before, behind; /* planes that are read beside those that are touched: any values do */
    int64_t period;
    bool leaves; /* planes are moved out */
} store_device_span;

/* The bytes of a ring; of them, those of memory in which planes take turns, 0: it is a window. */
int64_t store_device_ring_bytes(const device *d, const chain_slot *field,
                                const store_device_span *span, int64_t *turns);
/* Begins a ring: in *turns, which suit it; or, NULL, in memory of its own: if its planes take
 * turns, *turns is that, and has `most` bytes, or as few as it needs. False: memory is out. */
bool store_device_ring_make(store_device_ring *ring, device *d, const chain_slot *field,
                            const store_device_span *span, int64_t most, store_turns **turns);
/* Ends it. A window goes, after all work on it; other memory stays, and so does what is queued. */
bool store_device_ring_end(store_device_ring *ring);
/* Sees to it that there is memory for planes that loops touch next. Later ones touch none below
 * `low`. False when the device has failed, or the ring is too small for what it is used for. */
bool store_device_ring_show(store_device_ring *ring, int64_t first, int64_t end, int64_t low);
/* Moves planes from the field's array, behind all that has to happen before, or to it; in the
 * queues DEVICE_IN and DEVICE_OUT. *bytes are added up. Out: planes below `passed` will move no
 * more. */
bool store_device_ring_move(store_device_ring *ring, bool out, int64_t first, int64_t end,
                            int64_t passed, int64_t *bytes);

#endif
