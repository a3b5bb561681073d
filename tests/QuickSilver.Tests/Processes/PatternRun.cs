using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.Processes;

/// <summary>
/// Runs the world of <see cref="FourPatterns"/> and checks what every run must show: each subscriber got its groups'
/// messages, all of them, in order, and nothing else.
/// </summary>
internal sealed class PatternRun
{
    public required ProgramReport Publisher { get; init; }

    /// <summary>Subscribers 1 to 8, from index 0.</summary>
    public required IReadOnlyList<ProgramReport> Subscribers { get; init; }

    /// <summary>Runs it.</summary>
    /// <param name="transport">How messages travel.</param>
    /// <param name="messagesPerGroup">Messages to each of the 200 groups.</param>
    /// <param name="drop">Share of the datagrams that each subscriber drops.</param>
    /// <param name="datagram">The longest datagram; 0: as long as the path carries.</param>
    public static async Task<PatternRun> RunAsync(
        TransportKind transport, int messagesPerGroup, double drop = 0, int datagram = 0)
    {
        await using ProgramCluster cluster = await ProgramCluster.StartAsync(transport);
        List<ProgramRun> subscribers = [];
        for (int number = 1; number <= FourPatterns.Subscribers; number++)
        {
            IReadOnlyList<string> patterns = FourPatterns.PatternsOf(number);
            int expected = patterns.Count * FourPatterns.GroupsPerPattern * messagesPerGroup;
            string[] faults = drop > 0
                ? ["--drop", ProgramCluster.Text(drop), "--seed", ProgramCluster.Text(number)] : [];
            subscribers.Add(cluster.Start("subscribe", $"subscriber-{number}",
                [.. FourPatterns.Arguments(patterns), "--expect", ProgramCluster.Text(expected), "--linger",
                    drop > 0 ? "1" : "5", .. faults]));
        }
        // A join returns when every later message will be seen, so the publisher need not know who is in which group.
        foreach (ProgramRun subscriber in subscribers) await subscriber.WaitUntilJoinedAsync();
        ProgramRun publisher = cluster.Start(
            "publish",
            "publisher",
            [
                .. FourPatterns.PublisherArguments,
                "--count", ProgramCluster.Text(FourPatterns.Groups * messagesPerGroup),
                "--size", "500",
                "--datagram", ProgramCluster.Text(datagram),
            ]);

        ProgramReport sent = await publisher.FinishAsync();
        List<ProgramReport> received = [];
        foreach (ProgramRun subscriber in subscribers) received.Add(await subscriber.FinishAsync());
        var run = new PatternRun { Publisher = sent, Subscribers = received };
        run.CheckDelivery(messagesPerGroup);
        return run;
    }

    private void CheckDelivery(int messagesPerGroup)
    {
        Assert.Equal(FourPatterns.Groups * messagesPerGroup, Publisher.Sent);
        for (int number = 1; number <= FourPatterns.Subscribers; number++)
        {
            CheckReport check = Subscribers[number - 1].Check!;
            Assert.True(check.IsFaultless, $"subscriber {number}: {check.FirstFault}");
            IEnumerable<StreamReport> expected =
                from pattern in FourPatterns.PatternsOf(number)
                from index in Enumerable.Range(0, FourPatterns.GroupsPerPattern)
                select new StreamReport(
                    "publisher", $"{pattern}{index}", 1, (ulong)messagesPerGroup, messagesPerGroup,
                    messagesPerGroup * 500L);
            Assert.Equal(expected.OrderBy(stream => stream.Group, StringComparer.Ordinal), check.Streams);
            Assert.Equal(0, Subscribers[number - 1].Statistics.MessagesLost);
        }
    }
}
