using System.Globalization;
using System.Text.Json;
using QuickSilver;
using QuickSilver.Samples;
using QuickSilver.Samples.Processes;

namespace QuickStart;

/// <summary>
/// One run: starts the programs, shows how far they are, reads their reports and judges. This process hosts the membership of the cluster, so nothing
/// depends on which program ends first; otherwise it takes no part.
/// </summary>
internal sealed class ClusterRun(ClusterPlan plan)
{
    private const string GroupPrefix = "topic-";

    // Enough to keep everybody busy, and so few that latencies are not those of a queue: the default of 100,000 is all that the run sends.
    private const int Pending = 5_000;

    private static readonly TimeSpan AfterTimeout = TimeSpan.FromSeconds(15);

    private readonly List<Member> _members = [];

    /// <summary>Runs the plan.</summary>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(ClusterPlan plan, CancellationToken user)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("quickstart-");
        try
        {
            return await new ClusterRun(plan).RunAsync(folder.FullName, user);
        }
        catch (OperationCanceledException)
        {
            await Console.Error.WriteLineAsync(user.IsCancellationRequested ? "Interrupted." : "The time was up.");
            return ExitCodes.TimedOut;
        }
        catch (QuickSilverException failure)
        {
            await Console.Error.WriteLineAsync(failure.Message);
            return ExitCodes.Error;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private async Task<int> RunAsync(string folder, CancellationToken user)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(user);
        end.CancelAfter(plan.Timeout + AfterTimeout);
        var options = new QuickSilverOptions { ClusterName = $"quickstart-{Environment.ProcessId}", NodeName = "host" };
        options.Transport.Kind = plan.Transport;
        options.Membership.Port = FreePort.Find();
        await using QuickSilverNode host = await QuickSilverNode.StartAsync(options, end.Token);
        List<Member> failed;
        try
        {
            for (int number = 1; number <= plan.Subscribers; number++)
                Start("Subscriber", $"subscriber-{number}", folder, options, SubscriberArguments(number));
            Start("Publisher", "publisher", folder, options, PublisherArguments());
            await ProgressDisplay.ShowAsync(_members, plan.Messages, end.Token);
            // Noted before the others are ended for its sake.
            failed = [.. _members.Where(member => member.Process.Exit is { IsCompletedSuccessfully: true, Result: not 0 })];
        }
        finally
        {
            await Task.WhenAll(_members.Select(member => member.Process.DisposeAsync().AsTask()));
        }
        // Ctrl-C reaches the programs as well: that they ended is then no failure of theirs.
        user.ThrowIfCancellationRequested();
        return failed.Count == 0 ? Judge() : await TellAsync(failed);
    }

    private void Start(string program, string name, string folder, QuickSilverOptions options, IEnumerable<string> more)
    {
        string report = Path.Combine(folder, name + ".json");
        string[] common =
        [
            "--name", name, "--cluster", options.ClusterName, "--port", Text(options.Membership.Port), "--transport", plan.Transport.ToString(),
            "--groups", Text(plan.Groups), "--prefix", GroupPrefix, "--timeout", Text((int)plan.Timeout.TotalSeconds),
            "--json", report, "--progress-json", "--tied",
        ];
        var member = new Member { ReportPath = report };
        string assembly = Path.Combine(AppContext.BaseDirectory, program + ".dll");
        member.Process = ChildProcess.Start(name, assembly, common.Concat(more), line => OnLine(member, line));
        _members.Add(member);
    }

    private IEnumerable<string> SubscriberArguments(int number)
    {
        string[] expect = ["--expect", Text(plan.Messages)];
        return plan.Drop == 0 ? expect : [.. expect, "--drop", plan.Drop.ToString(CultureInfo.InvariantCulture), "--seed", Text(number)];
    }

    private string[] PublisherArguments() =>
        ["--count", Text(plan.Messages), "--size", Text(plan.Size), "--members", Text(plan.Subscribers + 1), "--pending", Text(Pending)];

    private static void OnLine(Member member, string line)
    {
        try
        {
            if (JsonSerializer.Deserialize(line, ProgressJson.Default.ProgressReport) is { } progress) member.Progress = progress;
        }
        catch (JsonException)
        {
            // Not progress: it is shown if the program fails.
        }
    }

    private static async Task<int> TellAsync(List<Member> failed)
    {
        foreach (Member member in failed)
        {
            await Console.Error.WriteLineAsync($"{member.Process.Name} ended with {await member.Process.Exit}:");
            await Console.Error.WriteLineAsync(member.Process.LastLines);
        }
        int code = await failed[0].Process.Exit;
        return code is > 0 and <= ExitCodes.TimedOut ? code : ExitCodes.Error;
    }

    private int Judge()
    {
        var summary = new RunSummary(plan, [.. _members.Select(member => ReportJson.Read(member.ReportPath))]);
        summary.Print();
        return summary.Failures.Count == 0 ? ExitCodes.Success : ExitCodes.CheckFailed;
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
