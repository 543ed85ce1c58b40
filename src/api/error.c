/* The error state of a context, and how errors are reported. */
#include "api/api.h"

const char *kata_status_name(kata_status status)
{
    switch (status) {
    case KATA_OK: return "KATA_OK";
    case KATA_ERROR_ARGUMENT: return "KATA_ERROR_ARGUMENT";
    case KATA_ERROR_KERNEL: return "KATA_ERROR_KERNEL";
    case KATA_ERROR_APPLICATION: return "KATA_ERROR_APPLICATION";
    case KATA_ERROR_LIMIT: return "KATA_ERROR_LIMIT";
    case KATA_ERROR_MEMORY: return "KATA_ERROR_MEMORY";
    case KATA_ERROR_COMPILER: return "KATA_ERROR_COMPILER";
    case KATA_ERROR_FILE: return "KATA_ERROR_FILE";
    case KATA_ERROR_INTERNAL: return "KATA_ERROR_INTERNAL";
    case KATA_ERROR_ASSERT: return "KATA_ERROR_ASSERT";
    case KATA_ERROR_DEVICE: return "KATA_ERROR_DEVICE";
    }
    return "unknown status";
}

kata_status api_fail(kata *k, kata_status status, const char *format, ...)
{
    if (k->messages.status) return k->messages.status;
    text body = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&body, format, list);
    va_end(list);
    message_fail(&k->messages, status, "%s", text_get(&body));
    text_free(&body);
    api_note_error(k);
    return k->messages.status;
}

kata_status api_no_memory(kata *k)
{
    message_no_memory(&k->messages);
    api_note_error(k);
    return k->messages.status;
}

bool kata_ok(const kata *k) { return k && k->messages.status == KATA_OK; }

kata_status kata_error(const kata *k)
{
    return k ? k->messages.status : api_null("kata_error", "the context");
}

const char *kata_error_message(const kata *k)
{
    return k && k->messages.status ? text_get(&k->messages.body) : "";
}

void kata_error_clear(kata *k)
{
    if (!k) {
        api_null("kata_error_clear", "the context");
        return;
    }
    api_null_unexplained();
    message_clear(&k->messages);
    k->errors_cleared++;
}
