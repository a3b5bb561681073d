using System.Diagnostics;
using System.Globalization;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>A host that is told to end by the system ends in order.</summary>
public sealed class TerminationTests
{
    [Fact]
    public async Task A_worker_that_is_terminated_while_it_waits_for_its_server_ends_in_order()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there is no SIGTERM");
        bool waits = false;
        await using ChildProcess worker = ChildProcess.Start(
            "Worker",
            Path.Combine(AppContext.BaseDirectory, "Worker.dll"),
            [
                "--QuickSilver:Membership:Mode=Client", "--QuickSilver:Membership:Servers:0=127.0.0.1:1",
                "--QuickSilver:Security:Mode=None", "--QuickSilver:Membership:JoinTimeout=01:00:00",
            ],
            line => waits |= line.Contains("127.0.0.1:1", StringComparison.Ordinal));
        await NodeRig.UntilAsync(() => waits || worker.Exit.IsCompleted, "it waits for its server");
        using (Process kill = Process.Start("kill", ["-TERM", $"{worker.Id}"])) await kill.WaitForExitAsync();
        int code = await worker.Exit.WaitAsync(NodeRig.Patience);
        Assert.True(code == 0, $"it ended with {code}: {worker.LastLines}");
        Assert.DoesNotContain("did not start", worker.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_host_that_is_terminated_under_traffic_loses_nothing_that_was_admitted()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there is no SIGTERM");
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(static options => options.ClusterName = "hosted");
        Group numbers = await node.JoinAsync("numbers");
        long last = 0;
        using IDisposable handler = numbers.Subscribe((in message) =>
        {
            long number = BitConverter.ToInt64(message.Payload);
            // Any number out of turn stays visible.
            if (number == last + 1) Volatile.Write(ref last, number);
        });
        string? said = null;
        await using ChildProcess member = ChildProcess.Start(
            "HostedMember",
            Path.Combine(AppContext.BaseDirectory, "HostedMember.dll"),
            [rig.Port.ToString(CultureInfo.InvariantCulture), "send"],
            line => said = line.Contains("admitted ", StringComparison.Ordinal) ? line : said);
        await NodeRig.UntilAsync(() => Volatile.Read(ref last) > 1000 || member.Exit.IsCompleted, "traffic");
        using (Process kill = Process.Start("kill", ["-TERM", $"{member.Id}"])) await kill.WaitForExitAsync();
        int code = await member.Exit.WaitAsync(NodeRig.Patience);
        Assert.True(code == 0, $"it ended with {code}: {member.LastLines}");
        long admitted = long.Parse(said!.Split(' ')[^1], CultureInfo.InvariantCulture);
        await NodeRig.UntilAsync(() => Volatile.Read(ref last) >= admitted, $"all {admitted} arrive, not {last}");
        Assert.Equal(admitted, Volatile.Read(ref last));
    }
}
