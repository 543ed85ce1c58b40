/* Which components a loop reads and writes outside the grid, and how each is found there: in memory
 * around the field's values, filled before a box runs, or on copies. */
#include "analysis/analysis.h"
#include "sweep/loop.h"

static grid_box touched_by(const sweep_loop *l, const sweep_edge *edge)
{
    grid_box touched = analysis_touched(edge->field->param, edge->lo, edge->hi, &l->like.box);
    int d = l->loop->kernel->ordered;
    if (l->columns) {
        touched.lo[d] = edge->inside.lo[d];
        touched.hi[d] = edge->inside.hi[d];
    }
    return touched;
}

/* The filled edge of the same component of a field, given to another parameter; NULL when there is
 * none. */
static sweep_edge *filled_before(const sweep_loop *l, const sweep_edge *edge)
{
    for (int i = 0; i < l->fill_count; i++)
        if (l->fills[i].field->first == edge->field->first &&
            l->fills[i].component == edge->component)
            return &l->fills[i];
    return NULL;
}

/* Whether values may be written around a field. */
static bool may_fill(const sweep_loop *l, const sweep_edge *edge)
{
    int64_t param = edge->field - l->fields;
    return !l->manner.copies || (param < 64 && l->manner.own >> param & 1);
}

/* Fills an edge, if that can be done; one that is filled already together with that, for threads
 * must not fill the same element twice. False where it cannot. */
static bool fill_edge(sweep_loop *l, sweep_edge edge)
{
    sweep_edge *before = filled_before(l, &edge);
    if (!may_fill(l, &edge) || edge.written ||
        (before && !ir_param_same_mapping(before->field->param, edge.field->param)))
        return false;
    if (before) {
        analysis_add_offset(before->lo, edge.lo, edge.hi);
        analysis_add_offset(before->hi, edge.lo, edge.hi);
        edge.star = edge.star && before->star;
    }
    grid_box touched = touched_by(l, &edge);
    if (!sweep_edge_can_fill(l, &edge, &touched)) return false;
    sweep_field *field = &l->fields[edge.field - l->fields];
    field->room = grid_box_hull(&field->room, &touched);
    field->reads.touched = grid_box_hull(&field->reads.touched, &touched);
    *(before ? before : &l->fills[l->fill_count++]) = edge;
    return true;
}

static sweep_wrap *wrapped_before(const sweep_loop *l, const sweep_edge *edge)
{
    for (int i = 0; i < l->wrap_count; i++)
        if (l->wraps[i].first && l->wraps[i].field->first == edge->field->first &&
            l->wraps[i].component == edge->component)
            return &l->wraps[i];
    return NULL;
}

/* Makes an edge a wrap, if it can be one. */
static bool wrap_edge(sweep_loop *l, const sweep_edge *edge)
{
    sweep_field *field = &l->fields[edge->field - l->fields];
    sweep_reach reach = {&l->like, (int)(field - l->fields), edge->component, {0}};
    grid_box room;
    memcpy(reach.offset, edge->lo, sizeof reach.offset);
    if (l->manner.copies || l->without_wraps || memcmp(edge->lo, edge->hi, sizeof edge->lo) != 0 ||
        !sweep_can_wrap(&reach, &room) || !sweep_edge_has_room(edge, &room))
        return false;
    sweep_wrap *before = wrapped_before(l, edge), *w = &l->wraps[l->wrap_count++];
    *w = (sweep_wrap){field, edge->component, edge->view, edge->bytes, .inside = edge->inside};
    memcpy(w->offset, edge->lo, sizeof w->offset);
    for (int d = 0; d < 3; d++) w->around[d] = grid_boundary_is_periodic(&field->boundary, d);
    w->first = !before;
    *(before ? &before->written : &w->written) |= edge->written;
    field->room = grid_box_hull(&field->room, &room);
    return true;
}

/* Keeps an edge when some point of the box reads or writes outside the grid there. */
static void add_edge(sweep_loop *l, sweep_edge edge)
{
    static const ir_param plain;
    sweep_field *field = &l->fields[edge.field - l->fields];
    edge.type = field->slot.type;
    edge.bytes = store_type_bytes(edge.type);
    edge.inside = field->inside;
    edge.poison = l->poison;
    edge.plain = ir_param_same_mapping(field->param, &plain);
    edge.clipped[l->loop->kernel->ordered] = l->columns;
    grid_box touched = touched_by(l, &edge);
    if (grid_box_contains(&field->inside, &touched) || wrap_edge(l, &edge)) return;
    sweep_sources *sources = edge.written ? &field->writes : &field->reads;
    sources->touched = grid_box_hull(&sources->touched, &touched);
    edge.sources = sources;
    if (!fill_edge(l, edge)) l->edges[l->edge_count++] = edge;
}

/* Whether a component is read along one dimension at a time, on both sides of the point or up to
 * it: the arms then meet at the point, which is among what is touched. */
static bool is_star(const sweep_loop *l, const analysis_reach *r)
{
    const ir_kernel *kernel = l->loop->kernel;
    bool star = true;
    for (int d = 0; d < 3; d++) star = star && r->lo[d] <= 0 && r->hi[d] >= 0;
    for (int i = 0; i < kernel->access_count && star; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param != r->param || a->component != r->component) continue;
        star = (a->offset[0] != 0) + (a->offset[1] != 0) + (a->offset[2] != 0) <= 1;
    }
    return star && !l->columns;
}

static void add_read_edge(sweep_loop *l, const analysis_reach *r)
{
    sweep_edge edge = {.field = &l->fields[r->param], .component = r->component};
    edge.star = is_star(l, r);
    edge.view = codegen_view_index(l->loop->kernel, r->param) + r->component;
    memcpy(edge.lo, r->lo, sizeof edge.lo);
    memcpy(edge.hi, r->hi, sizeof edge.hi);
    add_edge(l, edge);
}

static void add_write_edge(sweep_loop *l, const ir_store *s)
{
    sweep_edge edge = {.field = &l->fields[s->param], .component = s->component, .written = true};
    edge.view = codegen_store_index(l->loop->kernel, s->param) + s->component;
    memcpy(edge.lo, s->offset, sizeof edge.lo);
    memcpy(edge.hi, s->offset, sizeof edge.hi);
    add_edge(l, edge);
}

static bool make_sources(sweep_loop *l)
{
    bool done = true;
    for (int p = 0; p < l->loop->kernel->param_count && done; p++)
        if (ir_param_is_field(&l->loop->kernel->params[p]))
            done = sweep_sources_make(l, &l->fields[p], false) &&
                   sweep_sources_make(l, &l->fields[p], true);
    return done;
}

static int bytes_of(const sweep_loop *l, int param)
{
    return store_type_bytes(l->fields[param].slot.type);
}

/* A component that is read and written is touched at the offsets of both. */
static void add_reuse(sweep_loop *l, analysis_reach *reaches, int count)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        bool read = false;
        for (int r = 0; r < count; r++) {
            if (reaches[r].param != s->param || reaches[r].component != s->component) continue;
            analysis_add_offset(s->offset, reaches[r].lo, reaches[r].hi);
            read = true;
        }
        if (!read && ir_param_is_field(&kernel->params[s->param]))
            sweep_reuse_add(&l->reuse, s->offset, s->offset, bytes_of(l, s->param));
    }
    for (int r = 0; r < count; r++)
        sweep_reuse_add(&l->reuse, reaches[r].lo, reaches[r].hi, bytes_of(l, reaches[r].param));
}

static void add_edges(sweep_loop *l, const analysis_reach *reaches, int count)
{
    const ir_kernel *kernel = l->loop->kernel;
    l->edge_count = l->fill_count = l->wrap_count = 0;
    for (int i = 0; i < count; i++) add_read_edge(l, &reaches[i]);
    for (int i = 0; i < kernel->store_count; i++)
        if (ir_param_is_field(&kernel->params[kernel->stores[i].param]))
            add_write_edge(l, &kernel->stores[i]);
}

/* One for each parameter. */
static void take_marks(sweep_loop *l)
{
    l->mark = l->workers->marks + 1;
    l->workers->marks += l->loop->kernel->param_count;
}

bool sweep_prepare_edges(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    size_t most = (size_t)kernel->access_count;
    analysis_reach *reaches = arena_array(&l->memory, most, sizeof *reaches);
    l->edges = arena_array(&l->memory, most + (size_t)kernel->store_count, sizeof *l->edges);
    l->fills = arena_array(&l->memory, most, sizeof *l->fills);
    l->wraps = arena_array(&l->memory, most + (size_t)kernel->store_count, sizeof *l->wraps);
    if (!reaches || !l->edges || !l->fills || !l->wraps) return false;
    int count = analysis_reaches(kernel, reaches);
    add_edges(l, reaches, count);
    l->without_wraps = l->edge_count > 0; /* points on copies lie at the same sides */
    if (l->wrap_count && l->without_wraps) add_edges(l, reaches, count);
    add_reuse(l, reaches, count);
    if (!make_sources(l)) return false;
    if (sweep_fills_constants(l)) take_marks(l);
    return true;
}
