using QuickSilver.Bench;

namespace QuickSilver.TestPrograms;

/// <summary>
/// Joins, receives and checks. When each message is printed, every group has a reader of its own on the thread pool;
/// otherwise messages are checked inline, on the node's own thread, as a program would that has little to do for each.
/// </summary>
internal sealed class SubscriberRun(NodeSetup setup, TimeSpan linger)
{
    private readonly MessageChecker _checker = new(setup.Expect);

    /// <summary>Runs the program.</summary>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(NodeSetup setup, TimeSpan linger, CancellationToken user)
    {
        using var end = new EndSignal(user, setup.Timeout, setup.IsTied);
        try
        {
            return await new SubscriberRun(setup, linger).RunAsync(end);
        }
        catch (OperationCanceledException) when (end.Token.IsCancellationRequested)
        {
            if (end.IsByUser) return ExitCodes.Success;
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
        bool isInline = setup.Output != OutputKind.Full;
        var options = new GroupOptions { OnMessage = isInline ? OnMessage : null, BufferBeforeFirstRead = !isInline };
        IReadOnlyList<Group> groups = await node.JoinManyAsync(setup.GroupNames, options, end.Token);
        if (setup.Output != OutputKind.Json) Console.WriteLine($"{node.Name} ({node.Id}) is in {Describe(groups)}");

        ProgramEnd ending;
        await using (var progress = new ProgressPrinter(
            setup.Output, "receiving", () => _checker.Received, () => Details(node)))
        {
            Task readers = isInline
                ? EndedAsync(groups, end.Token)
                : Task.WhenAll(groups.Select(group => ReadAsync(group, end.Token)));
            ending = await WaitAsync(node, readers, end);
        }
        return await FinishAsync(node, groups, ending);
    }

    private void OnMessage(in MessageRef message) =>
        _checker.Check(message.Sender, message.SenderName, message.GroupName, message.Sequence, message.Payload);

    // Fails as the first group does that ends before the program.
    private static async Task EndedAsync(IReadOnlyList<Group> groups, CancellationToken ct) =>
        await await Task.WhenAny(groups.Select(static group => group.Completion)).WaitAsync(ct);

    private async Task ReadAsync(Group group, CancellationToken ct)
    {
        await foreach (Message message in group.ReadAllAsync(ct))
        {
            ReadOnlyMemory<byte> payload = message.Payload;
            CheckFault fault = _checker.Check(
                message.Sender, message.SenderName, group.Name, message.Sequence, payload.Span);
            string found = fault == CheckFault.None ? "" : $"  [{fault}]";
            Console.WriteLine($"{group.Name} {message.Sequence} {message.SenderName}: {Text(message)}{found}");
        }
    }

    private static string Text(Message message) =>
        GeneratedPayload.TryRead(message.Payload.Span, out GeneratedPayload generated)
            ? $"generated message {generated.Index}, {message.Payload.Length} bytes"
            : message.GetString();

    private async Task<ProgramEnd> WaitAsync(QuickSilverNode node, Task readers, EndSignal end)
    {
        Task first = await Task.WhenAny(_checker.Complete, _checker.Failed, readers, node.Completion);
        if (first == _checker.Complete && linger > TimeSpan.Zero)
            await Task.WhenAny(Task.Delay(linger, end.Token), _checker.Failed, node.Completion);

        ProgramEnd judged = ProgramEnd.Judge(_checker.Report());
        if (judged.Code != ExitCodes.Success) return judged;
        if (node.Completion.IsFaulted)
            return new ProgramEnd(ExitCodes.Error, node.Completion.Exception.InnerException!.Message);
        if (readers.IsFaulted) return new ProgramEnd(ExitCodes.Error, readers.Exception.InnerException!.Message);
        bool isShort = setup.Expect > 0 && _checker.Received < setup.Expect;
        if (!isShort || end.IsByUser) return ProgramEnd.Success;
        return new ProgramEnd(
            ExitCodes.TimedOut, $"the time was up: {_checker.Received} of {setup.Expect} messages had come");
    }

    private async Task<int> FinishAsync(QuickSilverNode node, IReadOnlyList<Group> groups, ProgramEnd ending)
    {
        CheckReport check = _checker.Report();
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        if (setup.JsonPath is { } path)
        {
            ReportJson.Write(path, new ProgramReport
            {
                Program = "Subscriber",
                Node = node.Name,
                Id = node.Id.ToString(),
                ExitCode = ending.Code,
                Failure = ending.Failure,
                Groups = groups.Count,
                Check = check,
                Regions = RegionReports.Of(groups),
                Statistics = statistics,
                Usage = ProcessUsage.Now(),
            });
        }
        if (setup.Output != OutputKind.Json)
        {
            int senders = check.Streams.Select(stream => stream.Sender).Distinct().Count();
            Console.WriteLine($"{check.Received:N0} messages, {check.Bytes:N0} bytes from {senders} senders; "
                + $"repaired {statistics.RepairsFromPeers:N0} by peers, {statistics.RepairsFromSenders:N0} by senders");
        }
        if (ending.Failure is { } failure) await Console.Error.WriteLineAsync(failure);
        return ending.Code;
    }

    private static string Describe(IReadOnlyList<Group> groups) =>
        groups.Count == 1 ? groups[0].Name : $"{groups.Count} groups, {groups[0].Name} to {groups[^1].Name}";

    private static string Details(QuickSilverNode node)
    {
        NodeStatistics statistics = node.GetStatistics();
        long repaired = statistics.RepairsFromPeers + statistics.RepairsFromSenders;
        return repaired == 0 ? "" : $"; {repaired:N0} packets repaired";
    }
}
