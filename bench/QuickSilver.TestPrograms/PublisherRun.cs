using System.Diagnostics;
using System.Globalization;
using QuickSilver.Bench;

namespace QuickSilver.TestPrograms;

/// <summary>Joins, waits for the others, sends, waits until every member holds everything, sums up and
/// leaves.</summary>
internal sealed class PublisherRun(NodeSetup setup, TrafficSetup traffic)
{
    private readonly MessageChecker _checker = new(setup.Expect);
    private GeneratedSource? _generated;
    private long _lines;
    private TimeSpan _sending;

    private long Sent => _generated?.Sent ?? Interlocked.Read(ref _lines);

    /// <summary>Runs the program.</summary>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(NodeSetup setup, TrafficSetup traffic, CancellationToken user)
    {
        if (setup.IsTied && traffic.Count is null)
        {
            await Console.Error.WriteLineAsync("--tied needs --count: standard input cannot be both.");
            return ExitCodes.Error;
        }
        using var end = new EndSignal(user, setup.Timeout, setup.IsTied);
        try
        {
            return await new PublisherRun(setup, traffic).RunAsync(end);
        }
        catch (OperationCanceledException) when (end.Token.IsCancellationRequested)
        {
            await Console.Error.WriteLineAsync("Ended before the groups were joined.");
            return ExitCodes.TimedOut;
        }
        catch (Exception failure) when (failure is QuickSilverException or ArgumentException)
        {
            await Console.Error.WriteLineAsync(failure.Message);
            return ExitCodes.Error;
        }
    }

    private async Task<int> RunAsync(EndSignal end)
    {
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(setup.Options, end.Token);
        var options = new GroupOptions
        {
            SelfDelivery = false,
            BufferBeforeFirstRead = false,
            OnMessage = setup.Expect > 0 ? OnMessage : null
        };
        IReadOnlyList<Group> groups = await node.JoinManyAsync(setup.GroupNames, options, end.Token);
        if (traffic.Count is not null) _generated = new GeneratedSource(node.Name, groups, traffic);

        ProgramEnd ending;
        await using (var progress = new ProgressPrinter(setup.Output, "joined", () => Sent, () => ""))
        {
            ending = await WorkAsync(node, groups, progress, end);
        }
        return await FinishAsync(node, groups, ending);
    }

    private void OnMessage(in MessageRef message) =>
        _checker.Check(message.Sender, message.SenderName, message.GroupName, message.Sequence, message.Payload);

    private async Task<ProgramEnd> WorkAsync(
        QuickSilverNode node, IReadOnlyList<Group> groups, ProgressPrinter progress, EndSignal end)
    {
        string doing = $"waiting for {traffic.Members} members";
        try
        {
            foreach (Group group in groups)
            {
                doing = $"waiting for {traffic.Members} members of {group.Name}, which has {group.View.MemberCount}";
                await group.WaitForMembersAsync(traffic.Members, end.Token);
            }
            doing = "sending";
            progress.Enter(doing);
            long start = Stopwatch.GetTimestamp();
            await (_generated?.SendAsync(traffic.Count!.Value, end.Token) ?? SendLinesAsync(groups, end.Token));
            doing = "waiting until all is stable";
            await node.FlushAsync(end.Token);
            _sending = Stopwatch.GetElapsedTime(start);
            progress.Enter("stable");
            doing = $"waiting for {setup.Expect} messages of others";
            if (setup.Expect > 0) await Task.WhenAny(_checker.Complete, _checker.Failed).WaitAsync(end.Token);
            return ProgramEnd.Judge(_checker.Report());
        }
        catch (OperationCanceledException) when (end.Token.IsCancellationRequested)
        {
            if (end.IsByUser && traffic.Count is null) return ProgramEnd.Success;
            return new ProgramEnd(ExitCodes.TimedOut, $"ended while {doing}: {Sent} messages sent");
        }
        catch (QuickSilverException failure)
        {
            return new ProgramEnd(ExitCodes.Error, $"{failure.Message} (while {doing})");
        }
    }

    private async Task SendLinesAsync(IReadOnlyList<Group> groups, CancellationToken ct)
    {
        // Reading the console cannot be cancelled, so it is left behind when the program has to end.
        while (await Task.Run(Console.In.ReadLine, ct).WaitAsync(ct) is { } line)
        {
            await groups[(int)(_lines % groups.Count)].SendAsync(line, ct);
            Interlocked.Increment(ref _lines);
        }
    }

    private async Task<int> FinishAsync(QuickSilverNode node, IReadOnlyList<Group> groups, ProgramEnd ending)
    {
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        if (setup.JsonPath is { } path)
        {
            ReportJson.Write(path, new ProgramReport
            {
                Program = "Publisher",
                Node = node.Name,
                Id = node.Id.ToString(),
                ExitCode = ending.Code,
                Failure = ending.Failure,
                Groups = groups.Count,
                Sent = Sent,
                SendSeconds = _sending.TotalSeconds,
                Check = setup.Expect > 0 ? _checker.Report() : null,
                Regions = RegionReports.Of(groups),
                Statistics = statistics,
                Usage = ProcessUsage.Now(),
            });
        }
        if (setup.Output != OutputKind.Json && traffic.Count is not null)
            Console.WriteLine(Summary(node, groups, statistics));
        if (ending.Failure is { } failure) await Console.Error.WriteLineAsync(failure);
        return ending.Code;
    }

    private string Summary(QuickSilverNode node, IReadOnlyList<Group> groups, NodeStatistics statistics)
    {
        double seconds = _sending.TotalSeconds;
        string rate = seconds > 0 ? $" in {seconds:N3} s, {Sent / seconds:N0} a second" : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"{node.Name} sent {Sent:N0} messages of {traffic.Size} bytes to {groups.Count} groups{rate}: "
            + $"{statistics.PacketsSent:N0} packets, {statistics.RepairsGiven:N0} repairs given");
    }
}
