using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Playwright;

namespace QuickSilver.Dashboard.Tests.Browsers;

/// <summary>A page in a real browser, Debian's chromium. All that it asks for, and all that goes wrong in it, is kept.
/// Where there is no chromium the test is skipped.</summary>
internal sealed class BrowserPage : IAsyncDisposable
{
    private static readonly string[] Places = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];

    private readonly IPlaywright _playwright;
    private readonly IBrowser _browser;
    private readonly string? _script;
    private readonly ConcurrentQueue<string> _requests = new();
    private readonly ConcurrentQueue<string> _faults = new();

    private BrowserPage(IPlaywright playwright, IBrowser browser, IPage page, string? script)
    {
        _script = script;
        _playwright = playwright;
        _browser = browser;
        Page = page;
        page.Request += (_, request) => _requests.Enqueue(request.Url);
        page.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning") _faults.Enqueue($"{message.Type}: {message.Text}");
        };
        page.PageError += (_, error) => _faults.Enqueue($"uncaught: {error}");
        page.Dialog += (_, dialog) => _faults.Enqueue($"dialog: {dialog.Message}");
    }

    /// <summary>The page.</summary>
    public IPage Page { get; }

    /// <summary>Addresses that it has asked for.</summary>
    public IReadOnlyCollection<string> Requests => _requests;

    /// <summary>Errors and warnings of its console.</summary>
    public IReadOnlyCollection<string> Faults => _faults;

    /// <summary>Opens a browser with a blank page.</summary>
    /// <param name="width">Width of its window.</param>
    /// <param name="height">Height of its window.</param>
    /// <param name="scheme">Whether it is light or dark.</param>
    /// <param name="prefix">Words before the command, as for a network namespace.</param>
    public static async Task<BrowserPage> OpenAsync(
        int width = 1400, int height = 900, ColorScheme scheme = ColorScheme.Light,
        IReadOnlyList<string>? prefix = null)
    {
        string program = Chromium();
        string? script = prefix is null ? null : WriteScript(program, prefix);
        IPlaywright playwright = await Playwright.CreateAsync();
        IBrowser browser = await playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
        {
            ExecutablePath = script ?? program,
            Args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            Timeout = 60_000,
        });
        IBrowserContext context = await browser.NewContextAsync(new BrowserNewContextOptions
        {
            ViewportSize = new ViewportSize { Width = width, Height = height },
            ColorScheme = scheme,
            TimezoneId = "UTC",
        });
        context.SetDefaultTimeout((float)DashboardApp.Patience.TotalMilliseconds);
        return new BrowserPage(playwright, browser, await context.NewPageAsync(), script);
    }

    /// <summary>Loads an address and waits for the first figures.</summary>
    public async Task LoadAsync(Uri address)
    {
        await Page.GotoAsync(address.ToString());
        await Page.Locator("#state[data-state=live]").WaitForAsync();
    }

    /// <summary>Waits until something holds of the page. Scripts in the page may not evaluate texts, by its policy; the
    /// browser's own tools may.</summary>
    /// <param name="script">An expression in the page.</param>
    /// <param name="patience">How long; null: as long as anything.</param>
    public async Task UntilAsync(string script, TimeSpan? patience = null)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await HoldsAsync(script))
        {
            Assert.True(
                Stopwatch.GetElapsedTime(start) < (patience ?? DashboardApp.Patience),
                $"never: {script}\n{string.Join('\n', Faults)}\n{await Page.Locator("body").InnerTextAsync()}");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Nothing went wrong in the page, and it asked only its own server.</summary>
    public void AssertClean(Uri address)
    {
        Assert.Empty(Faults);
        Assert.NotEmpty(Requests);
        Assert.All(Requests, url => Assert.StartsWith(address.GetLeftPart(UriPartial.Authority) + "/", url));
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _browser.CloseAsync();
        _playwright.Dispose();
        if (_script is not null) Directory.Delete(Path.GetDirectoryName(_script)!, recursive: true);
    }

    private async Task<bool> HoldsAsync(string script)
    {
        try
        {
            return await Page.EvaluateAsync<bool>(script);
        }
        catch (PlaywrightException)
        {
            // The page is being loaded.
            return false;
        }
    }

    private static string Chromium()
    {
        string? program = Environment.GetEnvironmentVariable("QUICKSILVER_CHROMIUM")
            ?? Places.FirstOrDefault(File.Exists);
        Assert.SkipWhen(program is null, "there is no chromium: .ci/chromium installs it");
        return program!;
    }

    // The browser is started by one program alone, so the words before it stand in a script.
    private static string WriteScript(string program, IReadOnlyList<string> prefix)
    {
        string script = Path.Combine(Directory.CreateTempSubdirectory("quicksilver-").FullName, "chromium");
        File.WriteAllText(script, $"#!/bin/sh\nexec {string.Join(' ', prefix)} {program} \"$@\"\n");
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(script, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return script;
    }
}
