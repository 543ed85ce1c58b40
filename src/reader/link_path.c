/* From names to datasets. A path is walked part by part, so that each link is known to be a hard
 * one before it is followed: soft links may lead through others, external ones to other files, and
 * user-defined ones to code that is loaded. */
#include "reader/reader_hdf5.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 1024, MOST_SHOWN = 16 };

static bool check_link(reader *r, const char *path)
{
    H5L_info_t link;
    if (H5Lget_info(r->file, path, &link, H5P_DEFAULT) < 0)
        return reader_fail(r, "it has no dataset %.100s", path);
    switch (link.type) {
    case H5L_TYPE_HARD: return true;
    case H5L_TYPE_SOFT:
        return reader_fail(r, "%.100s is a soft link; give the path that it points to", path);
    case H5L_TYPE_EXTERNAL:
        return reader_fail(r, "%.100s is a link to another file; give that file", path);
    default: return reader_fail(r, "%.100s is a link of a kind that is not followed", path);
    }
}

/* Whether each part of a path, which begins with '/', exists and is a hard link. */
static bool check_links(reader *r, const char *path)
{
    char part[LONGEST_PATH];
    size_t length = strlen(path);
    if (path[0] != '/' || length >= sizeof part) return reader_fail(r, "its path is too long");
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] && path[i] != '/') continue;
        part[i] = 0;
        if (part[i - 1] != '/' && !check_link(r, part)) return false;
        part[i] = path[i];
    }
    return true;
}

bool reader_open_dataset(reader *r, const char *path)
{
    if (!check_links(r, path)) return false;
    r->set = H5Oopen(r->file, path, H5P_DEFAULT);
    if (r->set < 0)
        return reader_fail(r, "HDF5 cannot open %.100s: it is damaged, or written by a newer HDF5",
                           path);
    if (H5Iget_type(r->set) != H5I_DATASET) {
        H5Oclose(r->set);
        r->set = H5I_INVALID_HID;
        return reader_fail(r, "it has no dataset %.100s", path);
    }
    r->space = H5Dget_space(r->set);
    r->type = H5Dget_type(r->set);
    if (r->space < 0 || r->type < 0) return reader_fail(r, "HDF5 cannot tell a dataset's shape");
    return reader_check_storage(r);
}

/* ---- members of a group ---------------------------------------------------------------------- */

/* Names of members: of the first few, separated by commas. */
typedef struct member_names {
    int count;
    char shown[128], first[256];
} member_names;

/* Scales of other datasets, as the coordinates in netCDF files, are left out. */
static herr_t add_name(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    member_names *names = data;
    size_t used = strlen(names->shown);
    if (link->type == H5L_TYPE_HARD &&
        H5Aexists_by_name(group, name, "REFERENCE_LIST", H5P_DEFAULT) > 0)
        return 0;
    snprintf(names->shown + used, sizeof names->shown - used, "%s%s", used ? ", " : "", name);
    if (!names->count++) snprintf(names->first, sizeof names->first, "%s", name);
    return names->count == MOST_SHOWN;
}

static bool list_members(reader *r, const char *path, member_names *names)
{
    hsize_t next = 0;
    hid_t group = check_links(r, path) ? H5Gopen2(r->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    if (group < 0) {
        r->reason[0] = 0;
        return reader_fail(r, "it has no group %s", path);
    }
    bool listed = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &next, add_name, names) >= 0;
    H5Gclose(group);
    return listed || reader_fail(r, "HDF5 cannot list the group %s", path);
}

bool reader_open_member(reader *r, const char *group, const char *name)
{
    char path[LONGEST_PATH];
    member_names names = {0};
    if (!list_members(r, group, &names)) return false;
    const char *slash = group[1] ? "/" : "";
    snprintf(path, sizeof path, "%s%s%s", group, slash, name);
    bool found = name[0] && !strchr(name, '/') && H5Lexists(r->file, path, H5P_DEFAULT) > 0;
    if (!found && names.count != 1)
        return reader_fail(r, "it has no dataset '%.64s' in %s; it has %s", name, group,
                           names.count ? names.shown : "none");
    if (!found) snprintf(path, sizeof path, "%s%s%s", group, slash, names.first);
    return reader_open_dataset(r, path);
}
