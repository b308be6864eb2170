#include "known_samples.hpp"

#include <deque>

namespace headgate::translate {
namespace {

constexpr std::string_view kHtpasswd =
    "auth_basic staff; auth_basic_user_file " HEADGATE_SOURCE_DIR "/tests/unit/translate/files/nginx/staging.htpasswd;";
constexpr std::string_view kZone = "limit_req_zone $binary_remote_addr zone=z:1m rate=9r/s; limit_req zone=z burst=5;";
constexpr std::string_view kConnections = "limit_conn_zone $binary_remote_addr zone=c:1m; limit_conn c 9;";
constexpr std::string_view kLists =
    "geo $limited { default 1; 10.0.0.0/8 0; } map $limited $key { 0 \"\"; 1 $binary_remote_addr; } "
    "limit_req_zone $key zone=g:1m rate=1r/s; limit_req zone=g;";
constexpr std::string_view kTls = "listen 8443 ssl; ssl_certificate a.pem; ssl_certificate_key a.key;";
constexpr std::string_view kClients =
    "listen 8443 ssl; ssl_certificate a.pem; ssl_certificate_key a.key; ssl_client_certificate ca.pem; "
    "ssl_verify_client on;";
constexpr std::string_view kToTls =
    "location /t/ { proxy_pass https://app; proxy_ssl_verify on; proxy_ssl_trusted_certificate ca.pem; "
    "proxy_ssl_name a.example.com; proxy_ssl_certificate c.pem; proxy_ssl_certificate_key c.key; }";
constexpr std::string_view kAsk =
    "auth_request /auth; auth_request_set $user $upstream_http_x_user; proxy_set_header X-User $user;";
constexpr std::string_view kGzip = "gzip on; gzip_types text/css; gzip_min_length 100; gzip_comp_level 2;";
constexpr std::string_view kBrotli = "brotli on; brotli_types text/css; brotli_min_length 100; brotli_comp_level 2;";
constexpr std::string_view kProxies =
    "set_real_ip_from 10.0.0.0/8; real_ip_header X-Forwarded-For; real_ip_recursive on;";

const ProductSamples kNginx{
    Product::nginx,
    "nginx.conf",
    "http { <http> upstream app { server 10.0.0.1:80; <upstream> } server { listen 8080; <server> "
    "location = /auth { internal; proxy_pass http://app; } location / { proxy_pass http://app; <location> } } }",
    {{"default_type", "default_type text/plain; return 200 hello;"},
     {"pid", "pid /run/nginx.pid;", "http"},
     {"server", ""},
     {"location", ""},
     {"upstream", ""},
     {"listen", ""},
     {"server_name",
      "server_name a.example.com; location /x { proxy_pass http://app; } } server { listen 8080; server_name "
      "b.example.com;",
      "server"},
     {"limit_req_zone", kZone, "http"},
     {"limit_conn_zone", kConnections, "http"},
     {"limit_req", kZone, "http"},
     {"limit_conn", kConnections, "http"},
     {"limit_req_dry_run", "limit_req_zone $host zone=z:1m rate=9r/s; limit_req zone=z; limit_req_dry_run on;", "http"},
     {"limit_conn_dry_run", "limit_conn_zone $host zone=z:1m; limit_conn z 9; limit_conn_dry_run on;", "http"},
     {"map", kLists, "http"},
     {"geo", kLists, "http"},
     {"geo",
      "geo $ok { default 0; 10.0.0.0/8 1; } server { location / { proxy_pass http://app; if ($ok = 0) { return 403; } "
      "} }",
      "http"},
     {"proxy_pass", "location /api/ { proxy_pass http://app/v2/; }", "server"},
     {"proxy_set_header", "proxy_set_header X-A b; proxy_set_header Host x.example.com;"},
     {"proxy_hide_header", "proxy_hide_header X-A;"},
     {"proxy_read_timeout", "proxy_read_timeout 5s;"},
     {"proxy_connect_timeout", "proxy_connect_timeout 5s;"},
     {"proxy_next_upstream", "proxy_next_upstream error http_502;"},
     {"proxy_next_upstream_tries", "proxy_next_upstream error; proxy_next_upstream_tries 3;"},
     {"proxy_ssl_verify", kToTls, "server"},
     {"proxy_ssl_trusted_certificate", kToTls, "server"},
     {"proxy_ssl_name", kToTls, "server"},
     {"proxy_ssl_certificate", kToTls, "server"},
     {"proxy_ssl_certificate_key", kToTls, "server"},
     {"client_max_body_size", "client_max_body_size 1m;"},
     {"gzip", kGzip},
     {"gzip_types", kGzip},
     {"gzip_min_length", kGzip},
     {"gzip_comp_level", kGzip},
     {"brotli", kBrotli},
     {"brotli_types", kBrotli},
     {"brotli_min_length", kBrotli},
     {"brotli_comp_level", kBrotli},
     {"client_body_timeout", "client_body_timeout 5s;", "http"},
     {"client_header_timeout", "client_header_timeout 5s;", "http"},
     {"send_timeout", "send_timeout 5s;", "http"},
     {"keepalive_timeout", "keepalive_timeout 5s;", "http"},
     {"add_header", "add_header X-A b;"},
     {"return", "location /a { return 204; } location /b { return 301 https://example.com/; }", "server"},
     {"ssl_certificate", kTls, "server"},
     {"ssl_certificate_key", kTls, "server"},
     {"ssl_protocols", "listen 8443 ssl; ssl_certificate a.pem; ssl_certificate_key a.key; ssl_protocols TLSv1.3;",
      "server"},
     {"ssl", "ssl on; ssl_certificate a.pem; ssl_certificate_key a.key;", "server"},
     {"error_page",
      "error_page 503 /CMakePresets.json; location = /CMakePresets.json { internal; root " HEADGATE_SOURCE_DIR "; }",
      "server"},
     {"auth_basic", kHtpasswd},
     {"auth_basic_user_file", kHtpasswd},
     {"auth_request", kAsk},
     {"auth_request_set", kAsk},
     {"ssl_client_certificate", kClients, "server"},
     {"ssl_verify_client", kClients, "server"},
     {"set_real_ip_from", kProxies, "http"},
     {"real_ip_header", kProxies, "http"},
     {"real_ip_recursive", kProxies, "http"},
     {"internal", ""},
     {"limit_except", "limit_except GET { deny all; }"},
     {"rewrite", "rewrite ^/(.*)$ /new/$1 break;"},
     {"if", "if ($request_method = POST) { return 405; }"},
     {"if", "if ($scheme = http) { return 301 https://$host$request_uri; }"},
     {"if",
      "geo $in { default 0; 10.0.0.0/8 1; } server { location / { proxy_pass http://app; if ($in = 0) { return 403; } "
      "} }",
      "http"},
     {"if",
      "listen 8443 ssl; ssl_certificate a.pem; ssl_certificate_key a.key; ssl_client_certificate ca.pem; "
      "ssl_verify_client optional; if ($ssl_client_verify != SUCCESS) { return 403; }",
      "server"},
     {"deny", "deny 10.0.0.0/8;"},
     {"allow", "allow 10.0.0.0/8; deny all;"},
     {"least_conn", "least_conn;", "upstream"},
     {"random", "random;", "upstream"},
     {"ip_hash", "ip_hash;", "upstream"},
     {"hash", "hash $binary_remote_addr consistent;", "upstream"},
     {"keepalive", "keepalive 8;", "upstream"}}};

const ProductSamples kIngress{
    Product::ingress,
    "shop.yaml",
    "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: shop\n  annotations:\n"
    "    nginx.ingress.kubernetes.io/x-forwarded-prefix: \"\"\n<annotation>\nspec:\n  tls: [{ hosts: [a.example.com] "
    "}]\n"
    "  rules:\n    - host: a.example.com\n      http:\n        paths:\n"
    "          - { path: \"/a\", pathType: Prefix, backend: { service: { name: w, port: { number: 80 } } } }\n"
    "          - { path: \"/c(/|$)(.*)\", pathType: Prefix, backend: { service: { name: w, port: { number: 80 } } } "
    "}\n",
    {{"limit-rps", "1"},
     {"limit-rpm", "1"},
     {"limit-connections", "1"},
     {"limit-whitelist", "\"10.0.0.0/8\"\n    nginx.ingress.kubernetes.io/limit-rps: \"1\""},
     {"limit-allowlist", "\"10.0.0.0/8\"\n    nginx.ingress.kubernetes.io/limit-rps: \"1\""},
     {"limit-burst-multiplier", "\"3\"\n    nginx.ingress.kubernetes.io/limit-rps: \"1\""},
     {"rewrite-target", "/b/$2"},
     {"use-regex", "\"true\""},
     {"ssl-redirect", "\"true\""},
     {"force-ssl-redirect", "\"true\""},
     {"proxy-body-size", "1m"},
     {"proxy-read-timeout", "\"5\""},
     {"proxy-connect-timeout", "\"5\""},
     {"backend-protocol", "GRPCS"},
     {"upstream-vhost", "b.example.com"},
     {"enable-cors", "\"true\""},
     {"cors-allow-origin", "\"https://b.example.com\"\n    nginx.ingress.kubernetes.io/enable-cors: \"true\""},
     {"cors-allow-methods", "GET\n    nginx.ingress.kubernetes.io/enable-cors: \"true\""},
     {"cors-allow-headers", "X-A\n    nginx.ingress.kubernetes.io/enable-cors: \"true\""},
     {"cors-allow-credentials", "\"true\"\n    nginx.ingress.kubernetes.io/enable-cors: \"true\""},
     {"whitelist-source-range", "10.0.0.0/8"},
     {"allowlist-source-range", "10.0.0.0/8"},
     {"denylist-source-range", "10.0.0.0/8"},
     {"permanent-redirect", "https://b.example.com"},
     {"temporal-redirect", "https://b.example.com"},
     {"auth-url", "http://auth.default.svc/"},
     {"auth-response-headers", "X-User\n    nginx.ingress.kubernetes.io/auth-url: http://auth.default.svc/"},
     {"auth-always-set-cookie", "\"true\"\n    nginx.ingress.kubernetes.io/auth-url: http://auth.default.svc/"}}};

const ProductSamples kKong{
    Product::kong,
    "kong.yml",
    "_format_version: \"3.0\"\nservices:\n  - name: a\n    url: http://10.0.0.1:80\n    routes:\n"
    "      - { name: r, paths: [/a] }\n    plugins:\n      - <plugin>\n<more>\n"
    "consumers:\n  - username: acme\n    acls: [{ group: staff }]\n    keyauth_credentials: [{ key: "
    "acme-key-0123456789 }]\n"
    "    jwt_secrets: [{ key: acme, secret: \"0123456789012345678901234567890123456789\" }]\n",
    {{"key-auth", "{ name: key-auth }"},
     {"jwt", "{ name: jwt }"},
     {"acl", "{ name: key-auth }\n      - { name: acl, config: { allow: [staff] } }"},
     {"ip-restriction", "{ name: ip-restriction, config: { allow: [10.0.0.0/8] } }"},
     {"request-termination", "{ name: request-termination, config: { status_code: 503 } }"},
     {"request-size-limiting", "{ name: request-size-limiting, config: { allowed_payload_size: 8 } }"},
     {"rate-limiting", "{ name: rate-limiting, config: { minute: 5 } }"},
     {"rate-limiting-advanced", "{ name: rate-limiting-advanced, config: { limit: [5], window_size: [60] } }"},
     {"request-transformer", "{ name: request-transformer, config: { add: { headers: [\"X-A:b\"] } } }"},
     {"request-transformer", "{ name: request-transformer, config: { replace: { uri: /b } } }"},
     {"response-transformer", "{ name: response-transformer, config: { add: { headers: [\"X-A:b\"] } } }"},
     {"cors", "{ name: cors, config: { origins: [\"https://b.example.com\"] } }"}}};

constexpr std::string_view kTable =
    "stick-table type ip size 1m expire 10m store http_req_rate(10s)\n  http-request track-sc0 src\n"
    "  http-request deny if { sc_http_req_rate(0) gt 100 }";
constexpr std::string_view kTcpTable =
    "stick-table type ip size 1m expire 10m store http_req_rate(10s)\n  tcp-request connection track-sc0 src\n"
    "  http-request deny if { sc_http_req_rate(0) gt 100 }";

const ProductSamples kHaproxy{
    Product::haproxy,
    "edge.cfg",
    "defaults\n  mode http\nfrontend web\n  bind :8080\n  <frontend>\n  default_backend app\n"
    "backend app\n  <backend>\n  server a 10.0.0.1:80 check maxconn 10\n",
    {{"bind", "bind :8443 ssl crt a.pem"},
     {"acl",
      "acl a path_beg /a/\n  acl b hdr(host) a.example.com\n  acl c method POST\n  acl d src 10.0.0.0/8\n"
      "  acl e hdr(X-A) b\n  acl f path_reg ^/x[0-9]+$\n  use_backend app if a b c d e\n  use_backend app if f"},
     {"use_backend", "use_backend app if { path_beg /a/ }"},
     {"default_backend", ""},
     {"server", ""},
     {"default-server", "default-server inter 3s", "backend"},
     {"balance", "balance leastconn", "backend"},
     {"stick-table",
      "stick-table type ip size 1m expire 10m store http_req_rate(10s)\n  http-request track-sc0 src\n"
      "  http-request deny if { sc_http_req_rate(0) gt 100 }"},
     {"stick-table",
      "stick-table type ip size 1m expire 10m store conn_cur\n  http-request track-sc0 src\n"
      "  http-request deny if { sc_conn_cur(0) gt 10 }"},
     {"http-request track-sc*", kTable},
     {"tcp-request connection track-sc*", kTcpTable},
     {"http-check", "option httpchk\n  http-check send uri /h\n  http-check expect status 200", "backend"},
     {"option httpchk", "option httpchk GET /h", "backend"},
     {"redirect", "redirect scheme https if !{ ssl_fc }\n  redirect location https://b.example.com/ if { path /a }"},
     {"maxconn", "maxconn 100"},
     {"timeout connect", "timeout connect 5s", "backend"},
     {"timeout client", "timeout client 5s"},
     {"timeout server", "timeout server 5s", "backend"},
     {"timeout http-request", "timeout http-request 5s"},
     {"timeout http-keep-alive", "timeout http-keep-alive 5s"},
     {"timeout queue", "timeout queue 5s", "backend"},
     {"timeout tunnel", "timeout tunnel 5s"},
     {"compression algo", "compression algo gzip"},
     {"compression type", "compression algo gzip\n  compression type text/css"},
     {"http-request redirect",
      "http-request redirect scheme https if !{ ssl_fc }\n"
      "  http-request redirect location https://b.example.com/ if { path /a }"},
     {"http-request return", "http-request return status 200 string ok if { path /a }"},
     {"http-request set-header", "http-request set-header X-A b\n  http-request set-header Host b.example.com"},
     {"http-request add-header", "http-request add-header X-A b"},
     {"http-request del-header", "http-request del-header X-A"},
     {"http-response set-header", "http-response set-header X-A b"},
     {"http-response add-header", "http-response add-header X-A b"},
     {"http-response del-header", "http-response del-header X-A"}}};

const ProductSamples kSpring{
    Product::spring,
    "application.yml",
    "spring:\n  cloud:\n    gateway:\n      routes:\n        - id: a\n          uri: http://10.0.0.1:80\n"
    "          predicates:\n            - Path=/a/**\n<predicate>\n          filters:\n            - "
    "PreserveHostHeader\n"
    "<filter>\n<route>\n",
    {{"Path", "            - Path=/b/{id:[0-9]+}", "predicate"},
     {"Host", "            - Host=a.example.com", "predicate"},
     {"Header", "            - Header=X-A, b", "predicate"},
     {"Query", "            - Query=a, b", "predicate"},
     {"Method", "            - Method=GET", "predicate"},
     {"RemoteAddr", "            - RemoteAddr=10.0.0.0/8", "predicate"},
     {"Weight", "            - Weight=g, 8", "predicate"},
     {"RequestRateLimiter",
      "            - name: RequestRateLimiter\n              args: { redis-rate-limiter.replenishRate: 2 }", "filter"},
     {"StripPrefix", "            - StripPrefix=1", "filter"},
     {"PrefixPath", "            - PrefixPath=/b", "filter"},
     {"AddRequestHeader", "            - AddRequestHeader=X-A, b", "filter"},
     {"SetRequestHeader", "            - SetRequestHeader=X-A, b", "filter"},
     {"RemoveRequestHeader", "            - RemoveRequestHeader=X-A", "filter"},
     {"AddResponseHeader", "            - AddResponseHeader=X-A, b", "filter"},
     {"SetResponseHeader", "            - SetResponseHeader=X-A, b", "filter"},
     {"RemoveResponseHeader", "            - RemoveResponseHeader=X-A", "filter"},
     {"SetRequestHostHeader", "            - SetRequestHostHeader=b.example.com", "filter"},
     {"SetPath", "            - SetPath=/b", "filter"},
     {"Retry", "            - Retry=3", "filter"},
     {"CircuitBreaker", "            - CircuitBreaker=c\nresilience4j:\n  circuitbreaker:\n    instances:\n      c: {}",
      "filter"},
     {"RedirectTo", "            - RedirectTo=302, https://b.example.com/", "filter"},
     {"RequestSize", "            - RequestSize=5MB", "filter"},
     {"RewritePath", "            - RewritePath=/a/?(?<S1>.*), /$\\{S1}", "filter"}}};

const ProductSamples kTraefik{
    Product::traefik,
    "dynamic.yml",
    "http:\n  routers:\n    a: { rule: '<rule>Path(`/a`)', service: s, middlewares: [m] }\n"
    "  services:\n    s: { loadBalancer: { servers: [{ url: \"http://10.0.0.1:80\" }] } }\n"
    "  middlewares:\n    m: { <middleware> }\n",
    {{"Host", "Host(`a.example.com`) && ", "rule"},
     {"HostRegexp", "HostRegexp(`^.+\\.example\\.com$`) && ", "rule"},
     {"Path", "", "rule"},
     {"PathPrefix", "PathPrefix(`/`) && ", "rule"},
     {"PathRegexp", "PathRegexp(`^/x[0-9]+$`) || ", "rule"},
     {"Method", "Method(`GET`) && ", "rule"},
     {"ClientIP", "ClientIP(`10.0.0.0/8`) && ", "rule"},
     {"Headers", "Headers(`X-A`, `b`) && ", "rule"},
     {"Header", "Header(`X-A`, `b`) && ", "rule"},
     {"HeadersRegexp", "HeadersRegexp(`X-A`, `.*`) && ", "rule"},
     {"HeaderRegexp", "HeaderRegexp(`X-A`, `.*`) && ", "rule"},
     {"Query", "Query(`a`, `b`) && ", "rule"},
     {"QueryRegexp", "QueryRegexp(`a`, `.*`) && ", "rule"},
     {"rateLimit", "rateLimit: { average: 1 }", "middleware"},
     {"inFlightReq", "inFlightReq: { amount: 1 }", "middleware"},
     {"stripPrefix", "stripPrefix: { prefixes: [/a] }", "middleware"},
     {"addPrefix", "addPrefix: { prefix: /b }", "middleware"},
     {"replacePath", "replacePath: { path: /b }", "middleware"},
     {"redirectScheme", "redirectScheme: { scheme: https }", "middleware"},
     {"headers",
      "headers: { customRequestHeaders: { X-A: b }, customResponseHeaders: { X-A: b }, "
      "accessControlAllowOriginList: [\"https://b.example.com\"] }",
      "middleware"},
     {"buffering", "buffering: { maxRequestBodyBytes: 100 }", "middleware"},
     {"retry", "retry: { attempts: 2 }", "middleware"},
     {"compress", "compress: { encodings: [gzip] }", "middleware"},
     {"forwardAuth", "forwardAuth: { address: \"http://10.0.0.2/\" }", "middleware"},
     {"basicAuth", "basicAuth: { usersFile: " HEADGATE_SOURCE_DIR "/tests/unit/translate/files/traefik/team.htpasswd }",
      "middleware"},
     {"ipAllowList", "ipAllowList: { sourceRange: [10.0.0.0/8] }", "middleware"},
     {"ipWhiteList", "ipWhiteList: { sourceRange: [10.0.0.0/8] }", "middleware"}}};

const ProductSamples kLitellm{
    Product::litellm,
    "config.yaml",
    "model_list:\n  - model_name: gpt-4o\n    litellm_params:\n      model: openai/gpt-4o\n      <params>\n"
    "general_settings:\n  master_key: os.environ/LITELLM_MASTER_KEY\n  <general>\n"
    "litellm_settings:\n  <settings>\n"
    "router_settings:\n  <router>\n",
    {{"model_list", ""},
     {"model_name", ""},
     {"litellm_params", ""},
     {"model", ""},
     {"api_base", "api_base: http://10.0.0.1:8000/v1"},
     {"base_url", "base_url: http://10.0.0.1:8000/v1"},
     {"api_key", "api_key: os.environ/KEY"},
     {"custom_llm_provider", "custom_llm_provider: openai"},
     {"rpm", "rpm: 10"},
     {"tpm", "tpm: 10"},
     {"timeout", "timeout: 5"},
     {"request_timeout", "request_timeout: 5", "settings"},
     {"master_key", ""},
     {"litellm_key_header_name", "litellm_key_header_name: X-Key", "general"},
     {"allowed_ips", "allowed_ips: [10.0.0.1]", "general"},
     {"max_request_size_mb", "max_request_size_mb: 5", "general"},
     {"global_max_parallel_requests", "global_max_parallel_requests: 5", "general"},
     {"max_budget", "max_budget: 5\n  budget_duration: 30d", "settings"},
     {"budget_duration", "budget_duration: 1mo\n  max_budget: 5", "settings"},
     {"redis_host", "redis_host: a", "router"},
     {"redis_port", "redis_port: 6379\n  redis_host: a", "router"}}};

const ProductSamples kRateLimit{
    Product::ratelimit,
    "ratelimit.yaml",
    "domain: edge\ndescriptors:\n  - key: a\n    <descriptor>\n    rate_limit:\n      unit: minute\n"
    "      requests_per_unit: 5\n      <rate>\n  <more>\n",
    {{"domain", ""},
     {"descriptors", ""},
     {"key", ""},
     {"value", "value: x"},
     {"rate_limit", ""},
     {"requests_per_unit", ""},
     {"unit", ""},
     {"unlimited", "- { key: b, rate_limit: { unlimited: true } }", "more"},
     {"name", "name: mine", "rate"},
     {"replaces",
      "replaces: [{ name: other }]\n  - key: b\n    rate_limit: { unit: day, requests_per_unit: 1, name: other }",
      "rate"},
     {"shadow_mode", "shadow_mode: true"},
     {"quota_mode", "quota_mode: true"},
     {"share_threshold", "value: x*\n    share_threshold: true"}}};

/// Adds the rules that refuse requests, each with every kind of condition.
ProductSamples with_refusals(ProductSamples out) {
  static std::deque<std::string> texts;
  const auto add = [&](const char* name, const std::string& condition) {
    out.samples.push_back({name, texts.emplace_back(name + (" if { " + condition + " }"))});
  };
  for (const auto* rule : {"block", "http-request deny", "http-request tarpit", "http-request reject",
                           "http-request silent-drop", "tcp-request connection reject", "tcp-request content reject"}) {
    add(rule, "path /a");
    add(rule, "src 10.0.0.0/8");
    out.samples.push_back({rule, texts.emplace_back("stick-table type ip size 1m expire 10m store http_req_rate(10s)\n"
                                                    "  http-request track-sc0 src\n  " +
                                                    std::string(rule) + " if { sc_http_req_rate(0) gt 100 }")});
  }
  return out;
}

}  // namespace

const std::vector<ProductSamples>& product_samples() {
  static const std::vector<ProductSamples> kAll{kNginx,  kIngress, kKong,    with_refusals(kHaproxy),
                                                kSpring, kTraefik, kLitellm, kRateLimit};
  return kAll;
}

}  // namespace headgate::translate
