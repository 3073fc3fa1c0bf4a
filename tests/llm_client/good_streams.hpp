#pragma once
// One whole stream of each protocol, with every kind of event that a client must know.

#include <string_view>

namespace good_streams {

constexpr std::string_view chat =
    ": waiting\n\n"
    "data: "
    "{\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}"
    "\n\n"
    "data: {\"id\":\"c1\",\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm "
    "\\u00e9.\"},\"finish_reason\":null}]}\r\n\r\n"
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n"
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Gr\xc3\xbc\xc3\x9f \\\"\"}}]}\n\n"
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"dich\\\"\"}}]}\n\n"
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
    "\"prompt_tokens_details\":{\"cached_tokens\":3},\"completion_tokens_details\":{\"reasoning_tokens\":1}}}\n\n"
    "data: [DONE]\n\n";

constexpr std::string_view responses =
    "event: response.created\n"
    "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\",\"status\":\"in_progress\"}}\n\n"
    "event: response.reasoning_summary_text.delta\n"
    "data: {\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"Hm \xc3\xa9.\"}\n\n"
    "event: response.output_item.added\n"
    "data: "
    "{\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"message\",\"content\":[]}}\n\n"
    "event: response.output_text.delta\n"
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"Gr\xc3\xbc\xc3\x9f \\\"\"}\n\n"
    "event: response.output_text.delta\n"
    "data: {\"type\":\"response.output_text.delta\",\"delta\":\"dich\\\"\"}\n\n"
    "event: response.completed\n"
    "data: "
    "{\"type\":\"response.completed\",\"response\":{\"id\":\"r1\",\"model\":\"m\",\"status\":\"completed\",\"error\":"
    "null,"
    "\"incomplete_details\":null,\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":"
    "\"x\"}]}],"
    "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":3},\"output_tokens\":4,"
    "\"output_tokens_details\":{\"reasoning_tokens\":1}}}}\n\n";

constexpr std::string_view messages =
    "event: message_start\n"
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"c1\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,"
    "\"usage\":{\"input_tokens\":4,\"cache_read_input_tokens\":3,\"cache_creation_input_tokens\":2,\"output_tokens\":1}"
    "}}\n\n"
    "event: ping\ndata: {\"type\": \"ping\"}\n\n"
    "event: content_block_start\n"
    "data: "
    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm "
    "\xc3\xa9.\"}}\n\n"
    "event: content_block_delta\n"
    "data: "
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"AA==\"}}\n\n"
    "event: content_block_delta\n"
    "data: "
    "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Gr\xc3\xbc\xc3\x9f "
    "\\\"\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"dich\\\"\"}}\n\n"
    "event: message_delta\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":4}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

}  // namespace good_streams
