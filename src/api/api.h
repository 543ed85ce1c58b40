/* api: the public functions, thin. No other folder includes this header. It has a section for each
 * file that other files of the folder need; files need none of a later section. */
#ifndef API_API_H
#define API_API_H

#include "api/handles.h"
#include "base/rounding.h"

/* Loops queued before a chain is run although nobody asked. */
enum { API_CHAIN_LENGTH = HOSTILE(256, 5) };
/* Numbers that the queue keeps for points between those of grids, before it is run. */
static const int64_t API_SPARSE_BYTES = HOSTILE(64 << 20, 64);
/* Elements of a scalar; and points between those of a grid. */
enum { API_MOST_ELEMENTS = 1 << 20 };
/* Ghosts beyond a side. */
enum { API_MOST_GHOSTS = IR_MAX_OFFSET };

static inline bool api_type_is_valid(kata_type type) { return (unsigned)type < IR_STORAGE_COUNT; }

/* ---- null.c: handles that are NULL where no context is at hand ------------------------------- */

/* Reports one on standard error, each kind of call once between openings of contexts, unless the
 * thread has had an error that may have caused it. Returns KATA_ERROR_ARGUMENT. */
kata_status api_null(const char *call, const char *what);
/* Notes an error of the context, if there is one: it may cause NULLs. */
void api_note_error(const kata *k);
/* An error was cleared: NULLs that come now have other causes. */
void api_null_unexplained(void);
/* A context is opened: there is no cause yet, and nothing was reported. */
void api_null_restart(void);

/* ---- error.c --------------------------------------------------------------------------------- */

/* Reports through the context and notes it. Returns the status of the context's first error. */
kata_status api_fail(kata *k, kata_status status, const char *format, ...) PRINTF_LIKE(3, 4);
kata_status api_no_memory(kata *k);

/* ---- switch.c -------------------------------------------------------------------------------- */

/* Reads a variable of the environment that is 1 or 0; it is off when not set. Reports. */
kata_status api_read_switch(kata *k, const char *name, bool *on);
/* Warns that a variable which is set does nothing without another, and shows a value of that. */
void api_warn_of_unused(kata *k, const char *name, const char *needed, const char *example);
/* Warns of variables whose names are nearly those of the library's. */
void api_warn_of_misspelt(kata *k);

/* ---- option_size.c: structures of options, of whatever size the program has them ------------- */

typedef struct api_options {
    const char *call, *type; /* "kata_field_new", "kata_field_options" */
    const char *example;     /* of the call with an option that is named */
    size_t size, unnamed;    /* here; the offset of `unnamed`, 0 where there is none */
    size_t least;            /* of version 0.1.0: up to the end of its last member */
} api_options;
#define API_END(type, member) (offsetof(type, member) + sizeof((type *)0)->member)
#define API_OPTIONS(call, type, example, last)                                                     \
    {                                                                                              \
        call, #type, example, sizeof(type), offsetof(type, unnamed), API_END(type, last)           \
    }
/* Copies the members that both have; the others are zero. All are where the size is impossible. */
void api_options_copy(const api_options *kind, const void *given, void *options);
/* Reports an impossible size, members that are set and not known here, an option without name. */
kata_status api_options_check(kata *k, const api_options *kind, const void *given);
/* Both. */
kata_status api_options_read(kata *k, const api_options *kind, const void *given, void *options);

/* ---- object_name.c --------------------------------------------------------------------------- */

/* A copy of a name if it is a C identifier of at most 64 letters; NULL (reported) otherwise. */
const char *api_name(kata *k, const char *call, const char *name);
/* Gives a field a copy of its units (NULL: it has none); reports what cannot be. */
kata_status api_set_units(kata_field *field, const char *call, const char *units);

/* ---- slots.c --------------------------------------------------------------------------------- */

/* A new slot owned by the context, a copy of what is given; NULL (reported) when memory is out. */
chain_slot *api_slot_new(kata *k, const chain_slot *like);
/* Whether queued loops read or write a slot; whether they write it. */
bool api_slot_is_queued(const kata *k, const chain_slot *slot);
bool api_slot_is_awaited(const kata *k, const chain_slot *slot);
/* A slot for the next value of a handle whose slot queued loops use: like it, but for its values,
 * which are to be set. The loops keep the old one. NULL (reported) when memory is out. */
chain_slot *api_slot_renew(kata *k, chain_slot *old);
/* After the queue was emptied: slots that were renewed may be used again. */
void api_slots_spare(kata *k);
/* Frees the values of all slots. */
void api_slots_free(kata *k);
/* Copies values of a slot, as store_read does, whether it has an array or not. */
void api_read(const chain_slot *slot, const grid_box *box, kata_type type, void *values);
/* Refuses a process that was forked from the one whose fields lie in files: both would write to
 * them. */
kata_status api_check_process(kata *k);
/* On several ranks, where a field's values are dealt out to them: gives all ranks all of them. All
 * ranks call it. */
kata_status api_make_whole(kata *k, chain_slot *slot);
/* Copies values in a box, as api_read does, to all ranks; the others stay where they are. */
kata_status api_read_field(kata *k, chain_slot *slot, const grid_box *box, kata_type type,
                           void *values);
/* Sets values to NaN, or to 0 for integers; nothing where there is no such type. */
void api_set_poison(kata_type type, void *values, int64_t count);
/* Frees the memory of discarded values that no queued loop needs; with KATA_POISON the memory is
 * poisoned instead. */
void api_release_discarded(kata *k);

/* ---- shown.c: memory of the program that shows a rank's own values -----------------------------
 */

/* What shows those of a slot, with the first of them at (0,0,0); NULL: nothing. */
const store_array *api_shown(const chain_slot *slot);
/* From now on such memory shows them; and takes those that are there. */
kata_status api_show_in(kata *k, chain_slot *slot, const store_array *as);
kata_status api_take_shown(kata *k, chain_slot *slot);
/* The slot has got values that are not shown yet. Queued loops need no call of it. */
void api_forget_shown(chain_slot *slot);
/* Shows what has changed. The queue is empty. All ranks call it, unless there is an error. */
kata_status api_show_all(kata *k);

/* ---- failed_chain.c -------------------------------------------------------------------------- */

/* Makes all that the queued loops write NaN, or 0 for integers. */
void api_spoil_results(kata *k);

/* ---- forces.c: when queued loops are run ----------------------------------------------------- */

/* Runs them: the call needs their result. */
kata_status api_flush(kata *k, const char *call);
/* Whether fields are dealt out to several ranks. */
bool api_deals(const kata *k);
/* After a loop was queued: runs them where the queue is long. Loops that repeat are run in whole
 * periods, so that their chains are alike. */
kata_status api_queued(kata *k);
/* Where a time step ends: runs them if the queue would be long after another one. */
kata_status api_end_step(kata *k);

/* ---- debugging.c ----------------------------------------------------------------------------- */

/* Reads the switches of the environment that help to find errors; options as in kata_options. */
kata_status api_read_debugging(kata *k, const kata_options *options);
/* Ends a timeline; reports a record, trace or timeline that was not written whole. */
void api_end_debugging(kata *k);
/* Values of the traced point before a call changes a field, and the report after it; NULL where the
 * field is not traced. */
ir_value *api_trace_before(const kata_field *field);
void api_trace_after(const kata_field *field, const char *call, ir_value *before);

/* ---- output_behind.c: files that are written behind ---------------------------------------------
 */

/* Reads KATA_BEHIND. */
kata_status api_choose_behind(kata *k);
/* Waits until all files hold what they were given, and reports the first error. All ranks call it.
 */
kata_status api_output_wait(kata *k);
/* Reports the first error that there was so far; on all ranks, which all call it. */
kata_status api_output_error(kata *k);
/* The same where there is one rank; on several, nothing happens. */
kata_status api_output_look(kata *k);
/* Writes what waits, and ends the thread. */
void api_output_free(kata *k);

/* ---- series.c -------------------------------------------------------------------------------- */

/* Closes the files of a list of series. */
void api_series_free(kata_series *first);

/* At a step that was reached again: series, and columns, that have no steps go on in other files.
 */
kata_status api_series_resume(kata *k, int64_t step);

/* ---- rows.c ---------------------------------------------------------------------------------- */

void api_rows_free(kata_rows *first);
/* False when memory is out. */
bool api_rows_rename(kata_rows *first, int64_t step);

/* ---- checkpoint.c: files from which a program goes on ---------------------------------------- */

/* Where a time step ends: writes a checkpoint if one is due. There are some (k->checkpoint). */
kata_status api_checkpoint_step(kata *k);
/* Gives a signal back. */
void api_checkpoint_end(kata *k);

/* ---- range.c --------------------------------------------------------------------------------- */

/* Whether a range may be used with a grid of this context; reports. An empty box is fine, and one
 * that leaves the grid no farther than fields may have points. */
kata_status api_check_range(kata *k, const char *call, const kata_range *range);
/* Of a range of a grid of points. */
static inline grid_box api_range_box(const kata_range *range)
{
    return (grid_box){{range->lo[0], range->lo[1], range->lo[2]},
                      {range->hi[0], range->hi[1], range->hi[2]}};
}
/* Reports a set of dimensions, given for an option of a call, that the grid does not have. */
kata_status api_check_dimensions(const kata_grid *grid, const char *call, const char *option,
                                 int set);

/* ---- module.c -------------------------------------------------------------------------------- */

/* A module as one text, with what it imports behind it, for the call that is named. NULL, reported,
 * when it cannot be had. */
const char *api_module_text(const kata_module *module, const char *call, size_t *length);

/* ---- mesh_grid.c, mesh_kernel.c, mesh_range.c: meshes of cells, edges and vertices
 * ------------------
 */

typedef struct api_mesh_kernel api_mesh_kernel;
typedef struct api_mesh {
    grid_mesh tables; /* by places: the order of loops and arrays */
    grid_mesh given;  /* the same by numbers, for the program */
    ir_mesh as;
    chain_slot *hidden[IR_HIDDEN_KINDS][3][3]; /* values of hidden parameters; NULL: not yet made */
    api_mesh_kernel *kernels;                  /* compiled for it */
    const double *vertices; /* where they lie, x, y and z of each; NULL: that is not known */
    uint64_t identity;      /* a hash of what is given */
} api_mesh;

/* A mesh as a grid; takes the tables. NULL on error, which is reported. */
kata_grid *api_mesh_new(kata *k, const char *call, grid_mesh *tables, int64_t nz, kata_order order);
/* The slot of a hidden parameter's values; NULL (reported) when memory is out. */
chain_slot *api_mesh_hidden(const kata_grid *grid, const ir_param *param);
/* The kernel for a mesh; `narrow`: the version with `real` as float. NULL on error. */
const ir_kernel *api_mesh_kernel_for(const kata_grid *grid, const kata_kernel *kernel, bool narrow);
/* The box of a range, for what lies `on`, in the dimensions of loops and arrays. */
grid_box api_mesh_box(const kata_grid *grid, const kata_range *range, kata_location on);
/* The points of a loop on it. */
grid_shape api_mesh_shape(const kata_grid *grid, kata_location on);
/* A box of loops and arrays as ranges have it, and the other way. */
grid_box api_mesh_shown(const kata_grid *grid, const grid_box *box);
/* Turns a field's dimensions, its rules, and memory of the program, from those of the program to
 * those of arrays. */
void api_mesh_turn(const kata_grid *grid, chain_slot *slot);
void api_mesh_turn_rules(const kata_grid *grid, grid_boundary *boundary);
void api_mesh_turn_array(const kata_grid *grid, store_array *a);
/* Whether values in arrays lie in the order of the program. */
bool api_mesh_is_plain(const kata_grid *grid);
/* Copies values of a box between their order in arrays and that of the program. */
void api_mesh_reorder(const kata_grid *grid, const grid_box *box, int components, size_t bytes,
                      const void *from, void *to, bool to_program);

/* ---- mesh_places.c: where elements lie --------------------------------------------------------
 */

/* Finds places for the elements of a new mesh. */
kata_status api_mesh_order(kata *k, api_mesh *mesh, kata_order order);
/* Puts elements back to where their numbers say, for a call that needs it. A no-op of a grid that
 * is no mesh, or of which they lie there. */
kata_status api_mesh_as_given(const kata_grid *grid, const char *call);
/* The same where a range has a part of the elements of a kind. */
kata_status api_mesh_part(const kata_range *range, kata_location on, const char *call);

/* The box of a range of a field's values, in the dimensions of its array. */
grid_box api_field_box(const kata_field *field, const kata_range *range);

/* ---- own_values.c: ranges of kata_local ------------------------------------------------------ */

/* Sets a rank's own points of a grid, or of fields so staggered, and whether they are dealt out. */
kata_status api_find_own(const kata_grid *grid, const bool staggered[3], grid_box *own,
                         bool *dealt);
/* kata_get and kata_put of a box of this rank's own points. */
kata_status api_get_own(const kata_field *field, const grid_box *box, kata_type type, void *values);
kata_status api_put_own(const kata_field *field, const grid_box *box, kata_type type,
                        const void *values);

/* ---- data.c ---------------------------------------------------------------------------------- */

/* Whether a range is a box within the points and ghosts of a field; reports. */
kata_status api_check_points(const kata_field *field, const char *call, const kata_range *range);

/* What puts do before the program's values go to a field's array, which it has then: no queued loop
 * uses them. Those in the box need not stay meanwhile. Reports. */
kata_status api_begin_put(kata_field *field, const grid_box *box);
/* Notes that a box of a field has new values. */
kata_status api_note_put(kata_field *field, const grid_box *box);
/* The same for debuggers, too, who knew the values `before` (api_trace_before). */
kata_status api_end_put(kata_field *field, const char *call, const grid_box *box, ir_value *before);

/* ---- discard.c ------------------------------------------------------------------------------- */

/* Reads of a field's values are errors from now on, until all of them are set. */
void api_lose_values(kata_field *field);

/* ---- field_checks.c: each reports ------------------------------------------------------------ */

/* Whether options that kata_field_new and kata_field_wrap have in common make sense. */
kata_status api_check_field(kata *k, const char *call, kata_type type, int components,
                            kata_rule boundary);
/* Refuses what is no rule, and KATA_LINEAR, which only kata_boundary_linear sets. */
kata_status api_check_rule(kata *k, const char *call, kata_rule rule);
/* Whether a value that a rule takes stays finite in a field; reports if not. */
kata_status api_check_rule_value(kata *k, const char *call, const char *name, kata_type type,
                                 kata_rule rule, double value);
/* Refuses a pointer to other elements than a type is stored as; -1: not known. */
kata_status api_check_element(kata *k, const char *caller, const char *name, kata_type type,
                              int element);
/* Refuses a field that is mapped. */
kata_status api_check_unmapped(const kata_field *field, const char *call);
/* Refuses a temporary field. */
kata_status api_check_host(const kata_field *field, const char *call);
/* Refuses to read a box of a field that is mapped, temporary, or discarded there. */
kata_status api_check_value(const kata_field *field, const char *call, const grid_box *box);

/* ---- field_points.c, field.c ----------------------------------------------------------------- */

/* Sets in a slot where options say that a field has values (not its type and components); reports
 * what is wrong with the options of a call. */
/* Sets where a field of an icosahedral grid lies, once its dimensions are known, and multiplies its
 * components by the values of a parallelogram. Refuses what does not suit the grid. */
kata_status api_field_location(const kata_grid *grid, const char *call,
                               const kata_field_options *options, chain_slot *slot);
/* Refuses a rule that mirrors a field on cells, edges or vertices at a side of x or y; side -1:
 * all. A mesh has no such sides. */
kata_status api_check_mirror(const kata_grid *grid, const char *call, const chain_slot *slot,
                             int side, kata_rule rule);
kata_status api_field_points(const kata_grid *grid, const char *call,
                             const kata_field_options *options, chain_slot *slot);
/* A new field on a slot of its own; NULL (reported) when memory is out. */
kata_field *api_field_new(kata_grid *grid, const char *name, chain_slot *slot,
                          const grid_boundary *boundary);

/* ---- scalar.c -------------------------------------------------------------------------------- */

/* Whether a scalar's values can be converted to a type; reports. */
kata_status api_check_scalar(kata_scalar *scalar, const char *call, kata_type type,
                             const void *values);
/* Reads a scalar of one element for a call, as kata_scalar_get does. */
kata_status api_scalar_read(kata_scalar *scalar, const char *call, double *value);

#endif
