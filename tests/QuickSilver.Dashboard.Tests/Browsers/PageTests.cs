using Microsoft.Playwright;

namespace QuickSilver.Dashboard.Tests.Browsers;

/// <summary>The page in a real browser, with a made-up cluster.</summary>
public sealed class PageTests
{
    private const string Hostile = "<img src=x onerror=alert(1)><b>n</b>";

    [Fact]
    public async Task A_large_cluster_is_shown_by_the_page()
    {
        var cluster = new FakeCluster(200, 50);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        await using BrowserPage browser = await BrowserPage.OpenAsync();
        await browser.LoadAsync(app.Address);
        Assert.Equal(25, await browser.Page.Locator("#nodes-table tbody tr").CountAsync());
        Assert.Contains("200 nodes", await browser.Page.Locator("#nodes-pager").InnerTextAsync());
        Assert.Contains("10,000 groups", await browser.Page.Locator("#groups-pager").InnerTextAsync());

        await browser.Page.Locator("#nodes-pager button").Last.ClickAsync();
        await browser.UntilAsync(
            "document.querySelector('#nodes-table tbody th').textContent === 'node-025'");
        await browser.Page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Sent/s" }).First.ClickAsync();
        await browser.UntilAsync(
            "document.querySelector('#nodes-table tbody th').textContent === 'node-199'");
        Assert.Contains("nodeSort=sent", browser.Page.Url, StringComparison.Ordinal);

        // The view stands in the address.
        await browser.Page.ReloadAsync();
        await browser.UntilAsync(
            "document.querySelector('#nodes-table tbody th')?.textContent === 'node-199'");
        Assert.Equal(
            "descending",
            await browser.Page.Locator("#nodes-table th[aria-sort]").GetAttributeAsync("aria-sort"));
        browser.AssertClean(app.Address);
    }

    [Fact]
    public async Task Figures_change_in_place_and_charts_grow()
    {
        var cluster = new FakeCluster(3, 2);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        await using BrowserPage browser = await BrowserPage.OpenAsync();
        await browser.LoadAsync(app.Address);
        Assert.Equal(4, await browser.Page.Locator("figure canvas").CountAsync());
        await browser.Page.EvaluateAsync("window.row = document.querySelector('#groups-table tbody tr')");
        cluster.Tick();
        await browser.UntilAsync("document.querySelector('#groups-table tbody tr').textContent.includes('201 B')");
        Assert.True(await browser.Page.EvaluateAsync<bool>(
            "window.row === document.querySelector('#groups-table tbody tr')"));
        browser.AssertClean(app.Address);
    }

    [Fact]
    public async Task Hostile_names_are_text()
    {
        var cluster = new FakeCluster(2, 1)
        {
            Change = static report => report with
            {
                Snapshot = report.Snapshot with
                {
                    Member = report.Snapshot.Member with { Name = Hostile },
                    Version = Hostile,
                    Groups = [.. report.Snapshot.Groups.Select(static group => group with { Name = Hostile })],
                    Views = [new ViewChangeReport { Number = 1, Joined = [Hostile], Left = [Hostile] }],
                },
            },
            ChangeAll = static snapshot => snapshot with
            {
                Cluster = Hostile,
                Slowest =
                [
                    new MemberLag(
                        snapshot.Nodes[0].Snapshot.Member, LagReason.Silent, 5, snapshot.Time, TimeSpan.FromSeconds(3),
                        true, [Hostile], [1]),
                ],
            },
        };
        await using DashboardApp app = await DashboardApp.StartAsync(cluster);
        await using BrowserPage browser = await BrowserPage.OpenAsync();
        await browser.LoadAsync(app.Address);
        Assert.Equal(Hostile, await browser.Page.Locator("#nodes-table tbody th").First.InnerTextAsync());
        await browser.Page.Locator("#slow-table tbody th button").First.ClickAsync();
        await browser.Page.Locator("#detail dt").First.WaitForAsync();
        await browser.Page.Locator("#detail-close").ClickAsync();
        await browser.Page.Locator("#groups-table tbody th button").First.ClickAsync();
        await browser.Page.Locator("#detail td").First.WaitForAsync();
        Assert.Equal(Hostile, await browser.Page.Locator("#detail-title").InnerTextAsync());
        Assert.Equal(0, await browser.Page.Locator("main img, main b, dialog img, header b").CountAsync());
        browser.AssertClean(app.Address);
    }

    [Fact]
    public async Task The_page_is_used_by_keyboard_and_has_landmarks_and_captions()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(30, 2));
        await using BrowserPage browser = await BrowserPage.OpenAsync();
        await browser.LoadAsync(app.Address);
        IPage page = browser.Page;
        await page.Keyboard.PressAsync("Tab");
        Assert.Equal("Skip to who is slow", await page.EvaluateAsync<string>("document.activeElement.textContent"));
        Assert.True(await page.Locator(".skip").EvaluateAsync<bool>("link => link.getBoundingClientRect().left >= 0"));
        await page.Keyboard.PressAsync("Enter");
        Assert.Equal("slow", await page.EvaluateAsync<string>("document.activeElement.id"));

        // A heading of the table, a row's node, its dialog, and back.
        ILocator sort = page.Locator("#nodes-table thead button").Nth(2);
        await sort.FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        await browser.UntilAsync("document.querySelector('#nodes-table tbody th').textContent === 'node-029'");
        Assert.True(await sort.EvaluateAsync<bool>("button => button === document.activeElement"));
        ILocator node = page.Locator("#nodes-table tbody button").First;
        await node.FocusAsync();
        Assert.NotEqual("none", await node.EvaluateAsync<string>("button => getComputedStyle(button).outlineStyle"));
        await page.Keyboard.PressAsync("Enter");
        await page.Locator("dialog[open] dl").WaitForAsync();
        await page.Keyboard.PressAsync("Escape");
        Assert.Equal(0, await page.Locator("dialog[open]").CountAsync());
        Assert.True(await node.EvaluateAsync<bool>("button => button === document.activeElement"));

        Assert.Equal(1, await page.Locator("main").CountAsync());
        Assert.Equal(1, await page.Locator("h1").CountAsync());
        int tables = await page.Locator("main .scroll table").CountAsync();
        Assert.Equal(tables, await page.Locator("main table > caption").CountAsync());
        Assert.Equal(0, await page.Locator(".scroll th:not([scope])").CountAsync());
        Assert.Equal(1, await page.Locator("[role=status], [aria-live]").CountAsync());
        browser.AssertClean(app.Address);
    }

    [Theory]
    [InlineData(390, ColorScheme.Light)]
    [InlineData(390, ColorScheme.Dark)]
    [InlineData(1400, ColorScheme.Dark)]
    public async Task The_page_fits_its_window_in_light_and_dark(int width, ColorScheme scheme)
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(200, 50));
        await using BrowserPage browser = await BrowserPage.OpenAsync(width, scheme: scheme);
        await browser.LoadAsync(app.Address);
        Assert.InRange(
            await browser.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"), 1, width);
        int brightness = await browser.Page.EvaluateAsync<int>(
            "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))");
        Assert.True(scheme == ColorScheme.Dark ? brightness < 64 : brightness > 192, $"{brightness}");
        browser.AssertClean(app.Address);
    }

    [Fact]
    public async Task A_hidden_page_has_no_stream_and_goes_on_when_it_is_shown()
    {
        await using DashboardApp app = await DashboardApp.StartAsync(new FakeCluster(2, 1));
        await using BrowserPage browser = await BrowserPage.OpenAsync();
        await browser.LoadAsync(app.Address);
        Assert.Equal(1, app.Limit.Open);
        await ShowAsync(isHidden: true);
        await browser.UntilAsync("document.querySelector('#state').dataset.state === 'paused'");
        await DashboardApp.UntilAsync(() => app.Limit.Open == 0 && !app.Watch.IsWatching, "the cluster is not watched");
        await ShowAsync(isHidden: false);
        await browser.UntilAsync("document.querySelector('#state').dataset.state === 'live'");
        Assert.Equal(1, app.Limit.Open);
        browser.AssertClean(app.Address);

        // A browser without a window hides no page by itself.
        Task ShowAsync(bool isHidden) => browser.Page.EvaluateAsync(
            "hidden => { Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true }); "
            + "document.dispatchEvent(new Event('visibilitychange')); }",
            isHidden);
    }

    [Fact]
    public async Task A_server_that_goes_is_told_and_one_too_many_waits()
    {
        var cluster = new FakeCluster(2, 1);
        await using DashboardApp app = await DashboardApp.StartAsync(cluster, streams: 1);
        await using BrowserPage browser = await BrowserPage.OpenAsync();
        using (EventReader only = await app.FollowAsync())
        {
            await only.FrameAsync();
            await browser.Page.GotoAsync(app.Address.ToString());
            await browser.UntilAsync("document.querySelector('#state').textContent.includes('As many browsers')");
        }
        await browser.UntilAsync("document.querySelector('#state').dataset.state === 'live'");
        await app.StopAsync();
        await browser.UntilAsync("document.querySelector('#state').textContent.includes('cannot be reached')");
    }
}
