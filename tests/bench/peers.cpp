#include "peers.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace headgate::bench {

namespace {

std::string text_of(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

std::string nginx_file(const PeerSetup& setup, Work work, const std::string& folder, std::uint16_t port) {
  const std::string rate = work == Work::refuse ? "1r/m" : "100r/s";
  const std::string limit = work == Work::refuse ? "limit_req zone=keys;" : "limit_req zone=keys burst=1000 nodelay;";
  return "user root;\ndaemon off;\nworker_processes 1;\npid " + folder + "/nginx.pid;\nerror_log " + folder +
         "/error.log crit;\n" +
         "events { worker_connections 16384; }\n"
         "http {\n"
         "  access_log off;\n  keepalive_timeout 300s;\n  keepalive_requests 1000000000;\n"
         "  client_body_temp_path " +
         folder + "/body;\n  proxy_temp_path " + folder + "/proxy;\n" + "  fastcgi_temp_path " + folder +
         "/fastcgi;\n  uwsgi_temp_path " + folder + "/uwsgi;\n  scgi_temp_path " + folder +
         "/scgi;\n"
         "  limit_req_zone $http_x_api_key zone=keys:64m rate=" +
         rate + ";\n  limit_req_status 429;\n" + "  upstream app { server " + text_of(setup.upstream_port) +
         "; keepalive 256; keepalive_requests 1000000000; keepalive_timeout 300s; }\n"
         "  server {\n    listen " +
         text_of(port) + " backlog=4096;\n    location / {\n" + (work == Work::plain ? "" : "      " + limit + "\n") +
         "      proxy_pass http://app;\n      proxy_http_version 1.1;\n      proxy_set_header Connection \"\";\n    "
         "}\n  }\n}\n";
}

std::string haproxy_file(const PeerSetup& setup, Work work, std::uint16_t port) {
  const std::string most = work == Work::refuse ? "0" : "100000";
  std::string limit;
  if (work != Work::plain) {
    limit =
        "  stick-table type string len 64 size 1m expire 1m store http_req_rate(10s)\n"
        "  http-request track-sc0 req.hdr(X-API-Key)\n"
        "  http-request deny deny_status 429 if { sc_http_req_rate(0) gt " +
        most + " }\n";
  }
  return "global\n  nbthread 1\n  maxconn 9000\n"
         "defaults\n  mode http\n  timeout connect 5s\n  timeout client 300s\n  timeout server 300s\n"
         "  timeout http-keep-alive 300s\n  option http-keep-alive\n  http-reuse always\n"
         "frontend in\n  bind " +
         text_of(port) + "\n" + limit +
         "  default_backend app\n"
         "backend app\n  server one " +
         text_of(setup.upstream_port) + " pool-max-conn 256\n";
}

std::string headgate_file(const PeerSetup& setup, Work work, std::uint16_t port) {
  const std::string rate = work == Work::refuse ? R"("rate": "1/hour")" : R"("rate": "100/second", "burst": 1000)";
  const std::string limits =
      work == Work::plain ? ""
                          : R"("limits": { "key": { )" + rate + R"(, "per": "api_key", "if_absent": "reject" } },)";
  return R"({ "listen": ")" + text_of(port) + R"(", "workers": 1, )" + limits + R"( "upstreams": { "app": "http://)" +
         text_of(setup.upstream_port) + R"(" },)" + R"( "routes": [ { "path": "/*", "to": "app")" +
         (work == Work::plain ? "" : R"(, "limits": ["key"])") + R"( } ],)" +
         R"( "log": { "level": "error", "access": "off" } })" + "\n";
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<Peer> start_peers(const PeerSetup& setup, Work work) {
  std::vector<Peer> peers;
  const auto start = [&](const std::string& name, auto make_file, auto make_command) {
    const auto folder = setup.directory + "/" + name;
    std::filesystem::create_directories(folder);
    const auto port = free_port();
    const auto file = folder + ".conf";
    std::ofstream(file) << make_file(folder, port);
    const auto log = folder + ".log";
    auto process = std::make_unique<Process>(make_command(folder, file), setup.core, log);
    if (!wait_for_port(port, *process)) throw std::runtime_error(name + " did not start:\n" + read_file(log));
    peers.push_back({name, port, std::move(process)});
  };
  const auto nginx = [&](const std::string& folder, std::uint16_t port) {
    return nginx_file(setup, work, folder, port);
  };
  const auto run_nginx = [](const std::string& folder, const std::string& file) {
    return std::vector<std::string>{"/usr/sbin/nginx", "-e", folder + ".log", "-c", file};
  };
  start("nginx", nginx, run_nginx);
  start("again", nginx, run_nginx);
  if (setup.haproxy) {
    start(
        "haproxy", [&](const auto&, auto port) { return haproxy_file(setup, work, port); },
        [](const auto&, const auto& file) {
          return std::vector<std::string>{"/usr/sbin/haproxy", "-db", "-f", file};
        });
  }
  if (!setup.headgate.empty()) {
    start(
        "headgate", [&](const auto&, auto port) { return headgate_file(setup, work, port); },
        [&](const auto&, const auto& file) {
          return std::vector<std::string>{setup.headgate, "run", "-c", file};
        });
  }
  return peers;
}

}  // namespace headgate::bench
