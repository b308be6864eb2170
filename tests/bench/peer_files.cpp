#include "peer_files.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace headgate::bench {

namespace {

std::string text_of(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

std::string nginx_work(Work work) {
  switch (work) {
    case Work::limit:
      return "      limit_req zone=keys burst=1000 nodelay;\n";
    case Work::refuse:
      return "      limit_req zone=keys;\n";
    case Work::gzip:
      return "      gzip on;\n      gzip_types text/plain;\n      gzip_comp_level 4;\n";
    case Work::two_limits:
      return "      limit_req zone=keys burst=1000 nodelay;\n      limit_req zone=addresses burst=100000 nodelay;\n";
    default:
      return "";
  }
}

std::string nginx_tls(Work work, const Place& place) {
  if (!speaks_tls(work)) return "";
  return "    ssl_certificate " + place.certificate + ";\n    ssl_certificate_key " + place.certificate +
         ";\n    ssl_protocols TLSv1.3;\n";
}

std::string nginx_pass(Work work) {
  if (work == Work::grpc) return "      grpc_pass grpc://app;\n";
  return "      proxy_pass http://app;\n      proxy_http_version 1.1;\n      proxy_set_header Connection \"\";\n";
}

std::string haproxy_listener(Work work, const Place& place) {
  auto out = text_of(place.port);
  if (speaks_tls(work)) out += " ssl ssl-min-ver TLSv1.3 crt " + place.certificate;
  if (speaks_h2(work)) out += speaks_tls(work) ? " alpn h2" : " proto h2";
  return out;
}

}  // namespace

std::string make_certificate(const std::string& directory) {
  const std::string line = "cd " + directory +
                           " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
                           " -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out bench.pem"
                           " >openssl.log 2>&1 && cat key.pem >>bench.pem";
  if (std::system(line.c_str()) != 0) throw std::runtime_error("openssl made no certificate");  // NOLINT(cert-env33-c)
  return directory + "/bench.pem";
}

std::string nginx_file(Work work, const Place& place) {
  const auto& folder = place.folder;
  const std::string rate = work == Work::refuse ? "1r/m" : "100r/s";
  const std::string log = work == Work::log ? folder + "/access.log combined buffer=64k flush=1s" : "off";
  return "user root;\ndaemon off;\nworker_processes 1;\npid " + folder + "/nginx.pid;\nerror_log " + folder +
         "/error.log crit;\n" +
         "events { worker_connections 16384; }\n"
         "http {\n"
         "  access_log " +
         log + ";\n" + (work == Work::attacked ? "" : "  keepalive_timeout 300s;\n  keepalive_requests 1000000000;\n") +
         "  client_body_temp_path " + folder + "/body;\n  proxy_temp_path " + folder + "/proxy;\n" +
         "  fastcgi_temp_path " + folder + "/fastcgi;\n  uwsgi_temp_path " + folder + "/uwsgi;\n  scgi_temp_path " +
         folder +
         "/scgi;\n"
         "  limit_req_zone $http_x_api_key zone=keys:64m rate=" +
         rate +
         ";\n  limit_req_zone $binary_remote_addr zone=addresses:1m rate=100000r/s;\n"
         "  limit_req_status 429;\n  upstream app { server " +
         text_of(place.upstream_port) +
         "; keepalive 256; keepalive_requests 1000000000; keepalive_timeout 300s; }\n"
         "  server {\n    listen " +
         text_of(place.port) + (speaks_tls(work) ? " ssl" : "") + (speaks_h2(work) ? " http2" : "") +
         " backlog=4096;\n" + nginx_tls(work, place) + "    location / {\n" + nginx_work(work) + nginx_pass(work) +
         "    }\n  }\n}\n";
}

std::string haproxy_file(Work work, const Place& place) {
  const std::string most = work == Work::refuse ? "0" : "100000";
  std::string limit;
  if (work == Work::limit || work == Work::refuse) {
    limit =
        "  stick-table type string len 64 size 1m expire 1m store http_req_rate(10s)\n"
        "  http-request track-sc0 req.hdr(X-API-Key)\n"
        "  http-request deny deny_status 429 if { sc_http_req_rate(0) gt " +
        most + " }\n";
  }
  if (work == Work::gzip) limit = "  compression algo gzip\n  compression type text/plain\n";
  const bool logs = work == Work::log;
  return std::string("global\n  nbthread 1\n  maxconn 9000\n") +
         (work == Work::gzip ? "  tune.comp.maxlevel 4\n" : "") + (logs ? "  log stdout format raw local0\n" : "") +
         "defaults\n  mode http\n" + (logs ? "  log global\n  option httplog\n" : "") +
         "  timeout connect 60s\n  timeout client 300s\n  timeout server 300s\n"
         "  timeout http-keep-alive 300s\n  option http-keep-alive\n  http-reuse always\n"
         "frontend in\n  bind " +
         haproxy_listener(work, place) + "\n" + limit +
         "  default_backend app\n"
         "backend app\n  server one " +
         text_of(place.upstream_port) + " pool-max-conn 256" + (work == Work::grpc ? " proto h2" : "") + "\n";
}

namespace {

struct HeadgateParts {
  std::string top;    // members of the file
  std::string route;  // and of its one route
};

HeadgateParts headgate_parts(Work work, const Place& place) {
  const auto by_key = [](const std::string& rate) {
    return R"("key": { "rate": )" + rate + R"(, "per": "api_key", "if_absent": "reject" })";
  };
  const std::string plenty = R"("100/second", "burst": 1000)";
  switch (work) {
    case Work::plain:
    case Work::log:
    case Work::tls:
    case Work::many:
    case Work::h2:
    case Work::h2_tls:
    case Work::grpc:
      return {};
    case Work::gzip:
      return {"", R"(, "compress": { "encodings": ["gzip"], "level": 4 })"};
    case Work::attacked:
      return {R"("drain": "100ms",)", ""};
    case Work::limit:
      return {R"("limits": { )" + by_key(plenty) + " },", R"(, "limits": ["key"])"};
    case Work::candidate:
      std::ofstream(place.folder + "/next.json") << headgate_file(Work::limit, place);
      return {R"("candidate": "next.json", "limits": { )" + by_key(plenty) + " },", R"(, "limits": ["key"])"};
    case Work::refuse:
      return {R"("limits": { )" + by_key(R"("1/hour")") + " },", R"(, "limits": ["key"])"};
    case Work::two_limits:
      return {R"("limits": { )" + by_key(plenty) + R"(, "address": { "rate": "100000/second", "per": "client_ip" } },)",
              R"(, "limits": ["key", "address"])"};
    case Work::jwt:
      return {
          R"("identity": { "jwt": { "algorithms": ["HS256"], "secret": ")" + std::string(kTokenSecret) + R"(" } },)",
          R"(, "require": "jwt")"};
    case Work::leased:
      return {R"("redis": { "url": "redis://)" + text_of(place.redis_port) +
                  R"(", "timeout": "5s" }, "limits": { "all": { "rate": "1000000/second", "per": "total" } },)",
              R"(, "limits": ["all"])"};
  }
  return {};
}

std::string headgate_listener(Work work, const Place& place) {
  const auto address = '"' + text_of(place.port) + '"';
  if (speaks_tls(work)) {
    const auto file = '"' + place.certificate + '"';
    return R"({ "address": )" + address + R"(, "tls": { "certificate": )" + file + R"(, "key": )" + file + " } }";
  }
  return speaks_h2(work) ? R"({ "address": )" + address + R"(, "http2": true })" : address;
}

/// As many idle connections as the others keep: 100 streams of two connections have so many at once.
std::string headgate_upstream(Work work) {
  if (work == Work::grpc) return R"(, "protocol": "http2")";
  return speaks_h2(work) && work != Work::attacked ? R"(, "max_idle": 256)" : "";
}

/// The route of the requests among others: by turns for one path, for all below one, with parameters, and for a host.
std::string headgate_routes(Work work, const std::string& of_route) {
  if (work != Work::many) return R"({ "path": "/*", "to": "app")" + of_route + " }";
  constexpr unsigned kRoutes = 100'000;
  std::string out = R"({ "path": "/bench", "to": "app" })";
  for (unsigned i = 1; i < kRoutes; ++i) {
    const auto number = std::to_string(i);
    const std::string paths[] = {R"("path": "/resource-)" + number + '"', R"("path": "/service-)" + number + R"(/*")",
                                 R"("path": "/tenants/{tenant}/service-)" + number + R"(/{id}")",
                                 R"("host": "t)" + number + R"(.example.com", "path": "/*")"};
    out += ",\n{ " + paths[i % 4] + R"(, "to": "app" })";
  }
  return out;
}

}  // namespace

std::string headgate_file(Work work, const Place& place) {
  const auto parts = headgate_parts(work, place);
  const std::string access = work == Work::log ? place.folder + "/access.log" : "off";
  // Under a tool that counts, all connections are made in slow motion.
  return R"({ "listen": )" + headgate_listener(work, place) + R"(, "workers": 1, )" + parts.top +
         R"( "upstreams": { "app": { "servers": ["http://)" + text_of(place.upstream_port) +
         R"("], "connect_timeout": "60s")" + headgate_upstream(work) + R"( } }, "routes": [ )" +
         headgate_routes(work, parts.route) + R"( ], "log": { "level": "error", "format": "json", "access": ")" +
         access + R"(" } })" + "\n";
}

std::string nghttpx_file(Work work, const Place& place) {
  if (work == Work::attacked)
    return "frontend=127.0.0.1," + std::to_string(place.port) + ";no-tls\nbackend=127.0.0.1," +
           std::to_string(place.upstream_port) +
           "\nworkers=1\nbacklog=4096\naccesslog-file=/dev/null\nerrorlog-file=/dev/null\npid-file=" + place.folder +
           "/pid\n";
  const auto host_and = [](std::uint16_t port) { return "127.0.0.1," + std::to_string(port); };
  std::string out = "workers=1\nsingle-process=yes\nbackend=" + host_and(place.upstream_port) +
                    (work == Work::grpc ? ";/;proto=h2" : "") +
                    "\nfrontend-http2-read-timeout=300s\nbackend-read-timeout=300s\nbackend-keep-alive-timeout=300s\n";
  if (!speaks_tls(work)) return out + "frontend=" + host_and(place.port) + ";no-tls\n";
  return out + "frontend=" + host_and(place.port) +
         "\ntls-min-proto-version=TLSv1.3\nprivate-key-file=" + place.certificate +
         "\ncertificate-file=" + place.certificate + "\n";
}

}  // namespace headgate::bench
