-- Neovim's own client of `apikiln lsp`, set up as by the page of the reference: opens a file, waits for diagnostics, asks for completions
-- and renames; prints JSON.
if vim.lsp.start == nil then
  -- Neovim 0.7, which Debian 12 has, lacks the functions of the page.
  vim.fs = {
    dirname = function(path) return vim.fn.fnamemodify(path, ':h') end,
    find = function(names, options)
      for _, name in ipairs(names) do
        local found = vim.fn.findfile(name, vim.fn.fnameescape(options.path) .. ';')
        if found ~= '' then return { vim.fn.fnamemodify(found, ':p') } end
      end
      return {}
    end,
  }
  vim.lsp.start = function(config) vim.lsp.buf_attach_client(0, vim.lsp.start_client(config)) end
end
dofile(vim.env.APIKILN_PAGE)
vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.APIKILN_FILE))
local buffer = vim.api.nvim_get_current_buf()
local client
vim.wait(120000, function()
  client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
  return client ~= nil
end, 50)
local function ask(method, line, character, more)
  local params = vim.tbl_extend('force', {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = line, character = character },
  }, more or {})
  local answer = client.request_sync(method, params, 120000, buffer)
  return answer and answer.result
end
local result = {}
vim.wait(120000, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
result.codes = vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(buffer))
local row = tonumber(vim.env.APIKILN_LINE)
local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, true)[1]
-- The mistake is corrected, and the diagnostics go.
vim.api.nvim_buf_set_lines(buffer, row, row + 1, true, { (line:gsub('nwes', 'news')) })
vim.wait(120000, function() return #vim.diagnostic.get(buffer) == 0 end, 50)
result.left = #vim.diagnostic.get(buffer)
local at = line:find('%$%.') + 1
result.labels = vim.tbl_map(function(one) return one.label end, ask('textDocument/completion', row, at))
result.definition = ask('textDocument/definition', row, (line:find('nwes')))[1].range.start.line
local edits = ask('textDocument/rename', row, (line:find('nwes')), { newName = 'articles' })
vim.lsp.util.apply_workspace_edit(edits, client.offset_encoding)
result.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
io.stdout:write(vim.fn.json_encode(result) .. '\n')
vim.lsp.stop_client(client.id)
vim.cmd('qall!')
