// SPDX-License-Identifier: Apache-2.0
// The functions of libcurl that the library calls, found when the first of them is called. A wheel
// that linked libcurl would carry 26 further libraries for what few of its users need: models
// behind a URL, and downloads of data sets.
#include <cstdarg>
#include <dlfcn.h>

#include <curl/curl.h>

// NOLINTBEGIN(readability-identifier-naming): names of libcurl
#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace {

void* library() noexcept {
  static void* const loaded = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

template <class Function>
Function* find(const char* name) noexcept {
  return library() == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library(), name));
}

}  // namespace

#define CROCO_FIND(name) static auto* const found = find<decltype(name)>(#name)

extern "C" {

// The first that is called; without it none of the others is.
CURLcode curl_global_init(long flags) {
  CROCO_FIND(curl_global_init);
  return found == nullptr ? CURLE_FAILED_INIT : found(flags);
}
const char* curl_easy_strerror(CURLcode code) {
  CROCO_FIND(curl_easy_strerror);
  return found == nullptr ? "libcurl.so.4 is not installed (Debian: libcurl4)" : found(code);
}
char* curl_version() {
  CROCO_FIND(curl_version);
  return found == nullptr ? nullptr : found();
}

CURL* curl_easy_init() {
  CROCO_FIND(curl_easy_init);
  return found();
}
void curl_easy_cleanup(CURL* handle) {
  CROCO_FIND(curl_easy_cleanup);
  found(handle);
}
void curl_easy_reset(CURL* handle) {
  CROCO_FIND(curl_easy_reset);
  found(handle);
}
// What follows is a long, a pointer or a curl_off_t: one word each.
CURLcode curl_easy_setopt(CURL* handle, CURLoption option, ...) {
  CROCO_FIND(curl_easy_setopt);
  std::va_list arguments;
  va_start(arguments, option);
  void* const value = va_arg(arguments, void*);
  va_end(arguments);
  return found(handle, option, value);
}
CURLcode curl_easy_getinfo(CURL* handle, CURLINFO info, ...) {
  CROCO_FIND(curl_easy_getinfo);
  std::va_list arguments;
  va_start(arguments, info);
  void* const value = va_arg(arguments, void*);
  va_end(arguments);
  return found(handle, info, value);
}

CURLM* curl_multi_init() {
  CROCO_FIND(curl_multi_init);
  return found();
}
CURLMcode curl_multi_cleanup(CURLM* multi) {
  CROCO_FIND(curl_multi_cleanup);
  return found(multi);
}
CURLMcode curl_multi_add_handle(CURLM* multi, CURL* handle) {
  CROCO_FIND(curl_multi_add_handle);
  return found(multi, handle);
}
CURLMcode curl_multi_remove_handle(CURLM* multi, CURL* handle) {
  CROCO_FIND(curl_multi_remove_handle);
  return found(multi, handle);
}
CURLMcode curl_multi_perform(CURLM* multi, int* running) {
  CROCO_FIND(curl_multi_perform);
  return found(multi, running);
}
CURLMcode curl_multi_poll(CURLM* multi, curl_waitfd extra[], unsigned count, int milliseconds,
                          int* ready) {
  CROCO_FIND(curl_multi_poll);
  return found(multi, extra, count, milliseconds, ready);
}
CURLMcode curl_multi_wakeup(CURLM* multi) {
  CROCO_FIND(curl_multi_wakeup);
  return found(multi);
}
CURLMsg* curl_multi_info_read(CURLM* multi, int* left) {
  CROCO_FIND(curl_multi_info_read);
  return found(multi, left);
}

curl_slist* curl_slist_append(curl_slist* list, const char* text) {
  CROCO_FIND(curl_slist_append);
  return found == nullptr ? nullptr : found(list, text);
}
void curl_slist_free_all(curl_slist* list) {
  CROCO_FIND(curl_slist_free_all);
  if (list != nullptr && found != nullptr) found(list);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
