using Microsoft.Playwright;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Dashboard.Tests.Browsers;

/// <summary>The pictures of the documentation, made only when QUICKSILVER_FIGURES is set.</summary>
internal static class Figures
{
    private const int MostBytes = 150_000;

    /// <summary>Saves the page as it is now, light and dark, on a desk and on a phone.</summary>
    public static async Task SaveAsync(BrowserPage browser)
    {
        if (Environment.GetEnvironmentVariable("QUICKSILVER_FIGURES") is null) return;
        string folder = SourceTree.PathOf("docs/figures");
        Directory.CreateDirectory(folder);
        foreach ((int width, int height) in ((int, int)[])[(1400, 1000), (390, 844)])
        {
            await browser.Page.SetViewportSizeAsync(width, height);
            foreach (ColorScheme scheme in (ColorScheme[])[ColorScheme.Dark, ColorScheme.Light])
            {
                await browser.Page.EmulateMediaAsync(new PageEmulateMediaOptions { ColorScheme = scheme });
                string file = Path.Combine(folder, $"dashboard-{width}-{scheme.ToString().ToLowerInvariant()}.png");
                await browser.Page.ScreenshotAsync(new PageScreenshotOptions { Path = file });
                Assert.InRange(new FileInfo(file).Length, 1, MostBytes);
            }
        }
        await browser.Page.SetViewportSizeAsync(1400, 1000);
    }
}
