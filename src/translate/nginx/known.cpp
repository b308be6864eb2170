#include "known.hpp"

#include <array>
#include <vector>

namespace headgate::translate {
namespace {

constexpr ImportWord aside(std::string_view name) {
  return {.name = name, .matter = Matter::aside, .why = "it keeps no request out"};
}

/// The directives that nothing else reads. A row without '*' also covers directives whose names continue after its name
/// with a '_'.
constexpr std::array kFates{
    ImportWord{"access_log", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"error_log", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"log_*", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"open_log", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"worker_*", Matter::aside, "headgate has one thread for each core: \"workers\""},
    ImportWord{"use", Matter::aside, "headgate uses epoll"},
    ImportWord{"multi_accept", Matter::aside, "it tunes nginx's event loop"},
    ImportWord{"accept_mutex", Matter::aside, "it tunes nginx's event loop"},
    ImportWord{"user", Matter::aside, "headgate runs as the user that starts it"},
    ImportWord{"daemon", Matter::aside, "headgate runs in the foreground"},
    ImportWord{"master_process", Matter::aside, "headgate is one process"},
    ImportWord{"load_module", Matter::aside, "headgate has no modules"},
    ImportWord{"env", Matter::aside, "headgate's file reads environment variables as ${NAME}"},
    ImportWord{"sendfile", Matter::aside, "headgate serves no files"},
    ImportWord{"tcp_*", Matter::aside, "headgate sends small packets at once"},
    ImportWord{"aio", Matter::aside, "headgate serves no files"},
    ImportWord{"directio", Matter::aside, "headgate serves no files"},
    ImportWord{"open_file", Matter::aside, "headgate serves no files"},
    ImportWord{"types", Matter::aside, "servers set the type of their responses"},
    ImportWord{"charset", Matter::aside, "servers set the type of their responses"},
    ImportWord{"index", Matter::aside, "headgate serves no files"},
    ImportWord{"autoindex", Matter::aside, "headgate serves no files"},
    ImportWord{"etag", Matter::aside, "headgate serves no files"},
    ImportWord{"gzip_static", Matter::aside, "headgate serves no files"},
    ImportWord{"gzip_vary", Matter::aside, "headgate sends Vary: Accept-Encoding wherever it may compress"},
    ImportWord{"gzip_proxied", Matter::aside, "headgate also compresses responses that go through another proxy"},
    ImportWord{"gzip_disable", Matter::aside, "headgate only considers Accept-Encoding"},
    ImportWord{"gzip_http_version", Matter::aside, "headgate compresses for clients from HTTP/1.1 on"},
    ImportWord{"gzip_*", Matter::aside, "headgate sizes its buffers automatically"},
    ImportWord{"gunzip", Matter::lost, "headgate does not decompress responses"},
    ImportWord{"brotli_static", Matter::aside, "headgate serves no files"},
    ImportWord{"brotli_*", Matter::aside, "headgate sizes its buffers automatically"},
    ImportWord{"server_tokens", Matter::aside, "headgate does not name itself in Server"},
    ImportWord{"server_names_hash", Matter::aside, "headgate sizes its tables automatically"},
    ImportWord{"variables_hash", Matter::aside, "headgate sizes its tables automatically"},
    ImportWord{"map_hash", Matter::aside, "headgate sizes its tables automatically"},
    ImportWord{"server_name_in_redirect", Matter::aside, "headgate redirects to the host of the request"},
    ImportWord{"port_in_redirect", Matter::aside, "headgate redirects to the host of the request"},
    ImportWord{"absolute_redirect", Matter::aside, "headgate redirects to the host of the request"},
    ImportWord{"keepalive_*", Matter::aside,
               "headgate keeps connections open for \"timeouts\": { \"idle\" }, whatever their number of requests"},
    ImportWord{"reset_timedout", Matter::aside, "headgate closes connections after their timeouts"},
    ImportWord{"lingering_*", Matter::aside, "headgate has its own timeouts for this"},
    ImportWord{"large_client_header", Matter::aside,
               "headgate reads request headers of up to 16 KiB: \"bounds\": { \"head_size\" }"},
    ImportWord{"client_header_buffer", Matter::aside,
               "headgate reads request headers of up to 16 KiB: \"bounds\": { \"head_size\" }"},
    ImportWord{"client_body_buffer", Matter::aside, "headgate passes bodies on as they arrive"},
    ImportWord{"client_body_temp", Matter::aside, "headgate passes bodies on as they arrive"},
    ImportWord{"proxy_request_buffering", Matter::aside,
               "headgate passes bodies on as they arrive; \"buffer_request\" of a route holds them"},
    ImportWord{"proxy_buffer", Matter::aside, "headgate passes responses on as they arrive"},
    ImportWord{"proxy_buffers", Matter::aside, "headgate passes responses on as they arrive"},
    ImportWord{"proxy_buffering", Matter::aside, "headgate passes responses on as they arrive"},
    ImportWord{"proxy_busy", Matter::aside, "headgate passes responses on as they arrive"},
    ImportWord{"proxy_temp", Matter::aside, "headgate passes responses on as they arrive"},
    ImportWord{"proxy_max_temp", Matter::aside, "headgate passes responses on as they arrive"},
    ImportWord{"proxy_http_version", Matter::aside,
               "headgate keeps connections to servers, and speaks HTTP/1.1 or the \"protocol\" of an upstream"},
    ImportWord{"proxy_socket_keepalive", Matter::aside, "headgate keeps connections to servers"},
    ImportWord{"proxy_pass_request_*", Matter::lost, "headgate always passes on fields and bodies"},
    ImportWord{"proxy_redirect", Matter::aside, "headgate undoes its own rewrites in addresses of responses"},
    ImportWord{"proxy_headers_hash", Matter::aside, "headgate sizes its tables automatically"},
    ImportWord{"proxy_set_body", Matter::lost, "headgate does not change bodies"},
    ImportWord{"proxy_method", Matter::lost, "headgate does not change methods"},
    ImportWord{"proxy_intercept_errors", Matter::lost, "headgate passes on the responses of servers"},
    ImportWord{"proxy_ignore_client_abort", Matter::differs,
               "headgate ends a request whose client closes, unless \"client_close\" is \"ignore\""},
    ImportWord{"proxy_cache", Matter::lost, "headgate has no cache: servers get each request"},
    ImportWord{"proxy_no_cache", Matter::aside, "headgate has no cache"},
    ImportWord{"proxy_store", Matter::lost, "headgate has no cache"},
    ImportWord{"proxy_cookie", Matter::lost, "headgate changes cookies of servers only to undo its own rewrites"},
    ImportWord{"proxy_limit_rate", Matter::lost, "headgate limits requests, not bytes per second"},
    ImportWord{"proxy_ssl_server_name", Matter::aside, "headgate always sends the name (SNI)"},
    ImportWord{"proxy_ssl_session_reuse", Matter::aside, "headgate resumes sessions"},
    ImportWord{"proxy_ssl", Matter::lost, "see \"tls\" of an upstream"},
    ImportWord{"proxy_*", Matter::lost, "headgate has no equivalent"},
    ImportWord{"ssl_dhparam", Matter::aside, "headgate only uses elliptic curves to agree on keys"},
    ImportWord{"ssl_ciphers", Matter::aside, "headgate chooses the ciphers"},
    ImportWord{"ssl_prefer", Matter::aside, "headgate chooses the ciphers"},
    ImportWord{"ssl_ecdh", Matter::aside, "headgate chooses the curves: \"groups\" of \"tls\""},
    ImportWord{"ssl_session", Matter::aside, "headgate resumes sessions with tickets"},
    ImportWord{"ssl_stapling", Matter::aside,
               "headgate sends an OCSP response that another program keeps: \"ocsp\" of a certificate"},
    ImportWord{"ssl_trusted_certificate", Matter::aside, "it verifies OCSP responses in nginx"},
    ImportWord{"ssl_buffer", Matter::aside, "headgate sizes its buffers automatically"},
    ImportWord{"ssl_early_data", Matter::aside, "headgate accepts no early data"},
    ImportWord{"ssl_verify_depth", Matter::aside, "headgate verifies any chain"},
    ImportWord{"ssl_verify", Matter::lost, "write \"client_ca\" in \"tls\", and \"require\": \"mtls\" in routes"},
    ImportWord{"ssl_password", Matter::lost, "headgate reads keys without a password"},
    ImportWord{"ssl_crl", Matter::lost, "headgate reads no revocation lists"},
    ImportWord{"http2", Matter::aside,
               "headgate speaks HTTP/2 where there is TLS, or where \"http2\" of a listener says so"},
    ImportWord{"http3", Matter::aside, "headgate speaks HTTP/1.1 and HTTP/2"},
    ImportWord{"resolver", Matter::aside, "headgate uses the system's resolver: \"resolve_every\" of an upstream"},
    ImportWord{"limit_req_log_level", Matter::aside, "headgate's access log names the limit of each rejection"},
    ImportWord{"limit_conn_log_level", Matter::aside, "headgate's access log names the limit of each rejection"},
    ImportWord{"limit_rate", Matter::lost, "headgate limits requests, not bytes per second"},
    ImportWord{"merge_slashes", Matter::aside, "headgate merges slashes"},
    ImportWord{"underscores_in_headers", Matter::aside, "headgate passes such fields on but never trusts them"},
    ImportWord{"ignore_invalid_headers", Matter::aside, "headgate refuses malformed fields"},
    ImportWord{"recursive_error_pages", Matter::aside, "headgate has error pages for its own answers: \"error_pages\""},
    ImportWord{"expires", Matter::lost, "write Cache-Control in \"response_headers\""},
    ImportWord{"stub_status", Matter::aside, "headgate's admin interface has metrics and a status"},
    ImportWord{"auth_jwt", Matter::closed, "write \"identity\": { \"jwt\" }, and \"require\": \"jwt\" in routes"},
    ImportWord{"auth_oidc", Matter::closed, "write \"identity\": { \"jwt\" }, and \"require\": \"jwt\" in routes"},
    ImportWord{"auth_delay", Matter::aside, "headgate limits failed attempts: \"failures\" in \"identity\""},
    ImportWord{"secure_link", Matter::closed, "headgate does not sign links: write \"require\" or \"auth\""},
    ImportWord{"valid_referers", Matter::closed, "anybody can write Referer: write \"require\" or \"auth\""},
    ImportWord{"access_by_lua", Matter::closed,
               "headgate runs no programs: write \"auth\" with a service that decides"},
    ImportWord{"rewrite_by_lua", Matter::closed,
               "headgate runs no programs: write \"auth\" with a service that decides"},
    ImportWord{"modsecurity", Matter::closed, "headgate does not search requests for attacks"},
    ImportWord{"app_protect", Matter::closed, "headgate does not search requests for attacks"},
    ImportWord{"satisfy", Matter::lost, "headgate's conditions must all hold"},
    ImportWord{"set", Matter::lost, "headgate has no variables of your own"},
    ImportWord{"rewrite_log", Matter::aside, "headgate has its own log: \"log\""},
    ImportWord{"rewrite", Matter::lost, "headgate rewrites by \"rewrite\" of a route, without regular expressions"},
    ImportWord{"sub_filter", Matter::lost, "headgate does not change bodies"},
    ImportWord{"mirror", Matter::lost, "write \"mirror\" in the route"},
    ImportWord{"split_clients", Matter::lost, "write several upstreams in \"to\", with \"weight\""},
    ImportWord{"include", Matter::closed,
               "this file is not on this machine: run headgate import where it is, or take the line out"},
    ImportWord{"stream", Matter::lost, "headgate is an HTTP gateway"},
    ImportWord{"mail", Matter::lost, "headgate is an HTTP gateway"},
};

/// Prefixes of directives that only shape answers, define variables, tune nginx, or produce answers.
constexpr std::array kFamilies{aside("add_after_body*"),
                               aside("add_before_body*"),
                               aside("add_trailer*"),
                               aside("addition_*"),
                               aside("ancient_browser*"),
                               aside("modern_browser*"),
                               aside("chunked_transfer_encoding*"),
                               aside("connection_pool_size*"),
                               aside("request_pool_size*"),
                               aside("create_full_put_path*"),
                               aside("dav_*"),
                               aside("debug_*"),
                               aside("disable_symlinks*"),
                               aside("early_hints*"),
                               aside("echo*"),
                               aside("f4f*"),
                               aside("flv*"),
                               aside("mp4*"),
                               aside("geoip*"),
                               aside("google_perftools*"),
                               aside("health_check*"),
                               aside("hls*"),
                               aside("quic_*"),
                               aside("if_modified_since*"),
                               aside("image_filter*"),
                               aside("js_import*"),
                               aside("js_path*"),
                               aside("js_set*"),
                               aside("js_var*"),
                               aside("js_shared*"),
                               aside("js_body_filter*"),
                               aside("js_header_filter*"),
                               aside("js_content*"),
                               aside("keyval*"),
                               aside("lock_file*"),
                               aside("lua_*"),
                               aside("content_by_lua*"),
                               aside("header_filter_by_lua*"),
                               aside("body_filter_by_lua*"),
                               aside("init_by_lua*"),
                               aside("init_worker_by_lua*"),
                               aside("max_ranges*"),
                               aside("min_delete_depth*"),
                               aside("more_set_headers*"),
                               aside("more_clear_headers*"),
                               aside("msie_*"),
                               aside("opentracing*"),
                               aside("otel_*"),
                               aside("output_buffers*"),
                               aside("override_charset*"),
                               aside("pcre_jit*"),
                               aside("postpone_output*"),
                               aside("random_index*"),
                               aside("read_ahead*"),
                               aside("send_lowat*"),
                               aside("slice*"),
                               aside("ssi*"),
                               aside("ssl_engine*"),
                               aside("subrequest_output*"),
                               aside("thread_pool*"),
                               aside("timer_resolution*"),
                               aside("userid*"),
                               aside("vhost_traffic_status*")};

constexpr std::array kModules{ImportWord{"fastcgi_*", Matter::aside, "headgate speaks HTTP to servers"},
                              ImportWord{"uwsgi_*", Matter::aside, "headgate speaks HTTP to servers"},
                              ImportWord{"scgi_*", Matter::aside, "headgate speaks HTTP to servers"},
                              ImportWord{"grpc_*", Matter::aside, "headgate speaks HTTP to servers"},
                              ImportWord{"memcached_*", Matter::aside, "headgate speaks HTTP to servers"}};

}  // namespace

std::span<const ImportWord> nginx_words() {
  static const std::vector<ImportWord> kAll = [] {
    const auto translated = translated_directives();
    std::vector<ImportWord> out(translated.begin(), translated.end());
    // Translated directives are left out, because their rows say already why they sometimes have no equivalent.
    for (const auto& each : kFates)
      if (!is_translated(each.name)) out.push_back(each);
    const auto of_upstreams = upstream_directives();
    out.insert(out.end(), of_upstreams.begin(), of_upstreams.end());
    out.insert(out.end(), kModules.begin(), kModules.end());
    out.insert(out.end(), kFamilies.begin(), kFamilies.end());
    return out;
  }();
  return kAll;
}

DirectiveFate fate_of(const Directive& directive) {
  const std::string_view name = directive.name;
  if (name == "satisfy" && directive.word(0) == "all") return {Matter::aside, "headgate always does this"};
  // These files set nothing about routes and limits.
  if (name == "include" && !directive.words.empty())
    for (const auto* harmless : {"mime.types", "fastcgi_params", "fastcgi.conf", "uwsgi_params", "scgi_params"})
      if (directive.words.front().ends_with(harmless)) return {Matter::aside, "this file is not on this machine"};
  for (const auto& each : kFates)
    if (is_about(each, name) || (name.starts_with(each.name) && name[each.name.size()] == '_'))
      return {each.matter, std::string(each.why)};
  for (const auto families : {std::span<const ImportWord>(kModules), std::span<const ImportWord>(kFamilies)})
    if (const auto* const known = find_word(families, name)) return {known->matter, std::string(known->why)};
  // An unknown directive may keep callers out, so the routes are closed to everybody.
  return {Matter::closed, "headgate import does not know it: write what protects the route, or take the line out"};
}

}  // namespace headgate::translate
