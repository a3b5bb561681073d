using System.Diagnostics;
using System.Net;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using ProtocolView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Bench.Runs;

/// <summary>
/// Members in whose group nobody sends, and junk to the data port of the first of them: datagrams that are right in all
/// that an outsider can know, with a wrong gate. This process hosts the membership and is a member too.
/// </summary>
internal static class JunkRunner
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(30);

    /// <summary>Runs it.</summary>
    /// <param name="run">The report to fill in; its offered rate is that of the junk, 0 for none.</param>
    /// <param name="member">What a member is told.</param>
    /// <param name="size">Bytes of a datagram.</param>
    /// <param name="ct">Interrupts it.</param>
    /// <returns>The report, and the junk sent.</returns>
    public static async Task<(RunReport Run, long Sent)> RunAsync(
        RunReport run, RoleOrder member, int size, CancellationToken ct)
    {
        var options = new QuickSilverOptions { ClusterName = $"junk-{Environment.ProcessId}", NodeName = "host" };
        options.Membership.Port = FreePort.Find();
        options.Security.UseRunKey(member.Key);
        await using QuickSilverNode host = await QuickSilverNode.StartAsync(options, ct);
        await using Group group = await host.JoinAsync(RoleNode.GroupNames(1)[0], cancellationToken: ct);
        var processes = new List<RoleProcess>();
        try
        {
            for (int number = 0; number < member.Receivers - 1; number++)
            {
                processes.Add(await RoleProcess.StartAsync(member with
                {
                    Name = $"member-{number + 1}",
                    Number = number,
                    Cluster = options.ClusterName,
                    MembershipPort = options.Membership.Port,
                }));
                // In the order of their numbers.
                await group.WaitForMembersAsync(number + 2, ct).WaitAsync(StartLimit, ct);
            }
            await RunLimit.WaitAsync(
                processes, Task.WhenAll(processes.Select(process => process.Ready)), StartLimit, "to start", ct);
            (ProtocolView view, ulong cluster) = await LookAsync(host);
            NodeInfo target = view.Members.First(one => one.Name == "member-1");
            foreach (RoleProcess process in processes)
                await process.TellAsync(new RoleCommand("go", Stopwatch.GetTimestamp()));
            using JunkFlood? flood = run.OfferedRate == 0 ? null : new JunkFlood(
                new IPEndPoint(IPAddress.Loopback, target.Data.Port), Junk(view, cluster, size), run.OfferedRate);
            ProcessReport[] reports = await RunLimit.WaitAsync(
                processes, Task.WhenAll(processes.Select(process => process.Result)),
                TimeSpan.FromSeconds(member.WarmUpSeconds + member.MeasuredSeconds) + Slack, "to measure", ct);
            long sent = flood?.Sent ?? 0;
            (ProtocolView after, _) = await LookAsync(host);
            string[] failures = after.Number == view.Number ? [] : ["the view changed"];
            return (run with { Processes = reports, Failures = failures }, sent);
        }
        catch (RunFailedException failure)
        {
            return (run with { Failures = [failure.Message] }, 0);
        }
        finally
        {
            await Task.WhenAll(processes.Select(process => process.DisposeAsync().AsTask()));
        }
    }

    private static byte[] Junk(ProtocolView view, ulong cluster, int size)
    {
        byte[] plain = new byte[size - SealedHeader.MostTagBytes];
        new DatagramHeader
        {
            Kind = DatagramKind.Data,
            Cluster = cluster,
            ViewTag = view.Number.Tag,
            ViewCounter = view.Number.Counter,
            Sender = view.Members[0].Number.Key,
            Sequence = 1,
        }.WriteTo(plain);
        byte[] junk = new byte[size];
        SealedHeader.Write(plain, junk, SealLane.Data, 0);
        return junk;
    }

    private static async Task<(ProtocolView View, ulong Cluster)> LookAsync(QuickSilverNode node)
    {
        var seen = new TaskCompletionSource<(ProtocolView View, ulong Cluster)>(
            TaskCreationOptions.RunContinuationsAsynchronously);
        node.Core.Services.TryPost(_ => seen.SetResult(
            (node.Core.Stack.Rooms.Recoverer.Regions[^1].View, node.Core.Stack.Rooms.ClusterInstance)));
        return await seen.Task.WaitAsync(StartLimit);
    }
}
