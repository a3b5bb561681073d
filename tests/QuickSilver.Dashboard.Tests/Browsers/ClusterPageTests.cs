using System.Diagnostics;
using System.Globalization;
using Microsoft.Playwright;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Networks;

namespace QuickSilver.Dashboard.Tests.Browsers;

/// <summary>The page of the sample, with a cluster of nine processes on nine hosts under traffic.</summary>
[Trait("needs", "nodes")]
public sealed class ClusterPageTests
{
    private const int Members = 8;
    private const int Senders = 2;
    private const int Rate = 400;
    private const string Group = "ticks";

    // Who stands still is named, not removed.
    private const string NotRemoved = "Membership:FailureTimeout=00:02:00";

    private static readonly Uri Address = new("http://127.0.0.1:5080/quicksilver/");

    [Fact]
    public async Task The_page_of_nine_processes_names_who_is_slow_who_loses_and_who_has_gone()
    {
        using NetworkNamespaces network = NetworkNamespaces.Make(hosts: Members + 1);
        await using ChildProcess desk = StartDesk(network);
        await using BrowserPage browser = await BrowserPage.OpenAsync(prefix: NamespaceSet.PrefixOf(network.NameOf(0)));
        var members = new List<NetworkNode>();
        try
        {
            for (int host = 1; host <= Members; host++)
                members.Add(await network.StartClientAsync(host, NameOf(host), NotRemoved));
            foreach (NetworkNode member in members) await member.AskAsync($"join {Group}", $"joined {Group}");
            foreach (NetworkNode member in members.Take(Senders))
                await member.TellAsync($"send {Group} 10000000 200 {Text(Rate)}");
            await OpenAsync(browser, desk);
            await NumbersMoveAsync(browser);
            await LossyIsFirstAsync(browser, network, lossy: 5);
            await StoppedIsNamedAsync(browser, members[2]);
            await KilledLeavesAsync(browser, members[7]);
            browser.AssertClean(Address);
        }
        finally
        {
            foreach (NetworkNode member in members) await member.DisposeAsync();
        }
    }

    private static async Task OpenAsync(BrowserPage browser, ChildProcess desk)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                await browser.LoadAsync(Address);
                break;
            }
            catch (PlaywrightException) when (Stopwatch.GetElapsedTime(start) < DashboardApp.Patience)
            {
                Assert.False(desk.Exit.IsCompleted, desk.LastLines);
            }
        }
        await browser.UntilAsync($"document.querySelectorAll('#nodes-table tbody tr').length === {Text(Members + 1)}");
    }

    // Each member receives what both senders send, and the figures change.
    private static async Task NumbersMoveAsync(BrowserPage browser)
    {
        const string Received = "Number([...document.querySelectorAll('#nodes-table tbody tr')]"
            + ".find(row => row.firstElementChild.textContent === 'n4').children[3].textContent.replace(/,/g, ''))";
        await browser.UntilAsync($"{Received} > {Text(Rate)}");
        string first = await browser.Page.EvaluateAsync<string>("document.querySelector('#tiles').textContent");
        await browser.UntilAsync($"document.querySelector('#tiles').textContent !== {Quoted(first)}");
    }

    private static async Task LossyIsFirstAsync(BrowserPage browser, NetworkNamespaces network, int lossy)
    {
        network.Nft(
            lossy,
            "add table ip t; add chain ip t in { type filter hook input priority 0; }; "
                + "add rule ip t in ip protocol udp numgen random mod 100 < 10 drop");
        await browser.UntilAsync(First("repairs", NameOf(lossy)));
    }

    private static async Task StoppedIsNamedAsync(BrowserPage browser, NetworkNode stopped)
    {
        stopped.Freeze(begins: true);
        long start = Stopwatch.GetTimestamp();
        try
        {
            await browser.UntilAsync(First("slow", stopped.Name));
            TimeSpan named = Stopwatch.GetElapsedTime(start);
            TestContext.Current.TestOutputHelper?.WriteLine($"named after {named.TotalSeconds:0.0} s");
            await browser.UntilAsync(
                "document.querySelector('#slow-table tbody tr').textContent.includes('Silent: stopped')");
            await Figures.SaveAsync(browser);
        }
        finally
        {
            stopped.Freeze(begins: false);
        }
        await browser.UntilAsync(
            $"!document.querySelector('#slow-table').textContent.includes({Quoted(stopped.Name)})");
    }

    private static async Task KilledLeavesAsync(BrowserPage browser, NetworkNode killed)
    {
        killed.Kill();
        await browser.UntilAsync(
            $"!document.querySelector('#nodes-table').textContent.includes({Quoted(killed.Name)})",
            TimeSpan.FromMinutes(3));
    }

    private static string First(string section, string name) =>
        $"document.querySelector('#{section}-table tbody th')?.textContent === {Quoted(name)}";

    private static ChildProcess StartDesk(NetworkNamespaces network)
    {
        string[] options =
            [TestSecurity.Line, NotRemoved, "Membership:Mode=Host", "ClusterName=networks", "NodeName=desk"];
        IReadOnlyList<string> command = ChildProcess.CommandOf(
            Path.Combine(AppContext.BaseDirectory, "Dashboard.dll"),
            ["--urls", Address.GetLeftPart(UriPartial.Authority), .. options.Select(Option)]);
        return ChildProcess.Start("Dashboard", [.. NamespaceSet.PrefixOf(network.NameOf(0)), .. command]);

        static string Option(string option) => $"--QuickSilver:{option}";
    }

    private static string NameOf(int host) => $"n{Text(host)}";

    private static string Quoted(string text) => System.Text.Json.JsonSerializer.Serialize(text);

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
