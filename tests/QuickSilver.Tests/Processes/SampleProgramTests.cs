using System.Diagnostics;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Processes;

/// <summary>Every program in the folder samples runs, and shows what the comment at its top says.</summary>
[Collection(ProcessCollection.Name)]
public sealed class SampleProgramTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    [Theory]
    [InlineData]
    [InlineData("--drop", "0.05")]
    public async Task QuickStart_ends_with_zero_when_all_is_verified(params string[] more)
    {
        string[] little = ["--messages", "3000", "--groups", "10", "--timeout", "80"];
        await using ChildProcess quickStart = Start("QuickStart", [.. little, .. more]);
        await AssertEndsAsync(quickStart, 0);
        Assert.Contains(
            "Verified: 3,000 messages of 1,000 bytes over 10 groups reached each of 3 subscribers once, "
            + "whole and in order",
            quickStart.LastLines,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task QuickStart_fails_when_the_time_is_up()
    {
        await using ChildProcess quickStart =
            Start("QuickStart", "--messages", "20000000", "--subscribers", "1", "--timeout", "3");
        await AssertEndsAsync(quickStart, 1);
        Assert.DoesNotContain("Verified", quickStart.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_publisher_and_a_subscriber_find_each_other_on_one_machine()
    {
        string port = ProgramCluster.Text(FreePort.Find());
        await using ChildProcess subscriber = Start("Subscriber", "--port", port, "--count", "2000");
        await using ChildProcess publisher =
            Start("Publisher", "--port", port, "--count", "2000", "--rate", "1000", "--size", "100");
        await AssertEndsAsync(publisher, 0);
        await AssertEndsAsync(subscriber, 0);
        Assert.Contains("2,000 messages sent", publisher.LastLines, StringComparison.Ordinal);
        Assert.Contains("(2,000 in all)", subscriber.LastLines, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Subscriber", "Publisher")]
    [InlineData("Publisher", "Subscriber")]
    public async Task Either_program_may_be_the_host_of_the_other(string hosting, string visiting)
    {
        string port = ProgramCluster.Text(FreePort.Find());
        using var folder = new TestFolder();
        string key = folder.File("cluster.key");
        PreSharedKey.CreateFile(key);
        string[] common = ["--interface", "127.0.0.1", "--count", "500", "--group", "of two", "--key-file", key];
        await using ChildProcess host = Start(hosting, [.. common, "--host", "--port", port]);
        await using ChildProcess client = Start(visiting, [.. common, "--server", $"127.0.0.1:{port}"]);
        await AssertEndsAsync(hosting == "Publisher" ? host : client, 0);
        await AssertEndsAsync(hosting == "Publisher" ? client : host, 0);
        Assert.Contains("is in of two", host.LastLines + client.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_subscriber_may_be_there_before_anybody_serves()
    {
        string port = ProgramCluster.Text(FreePort.Find());
        string[] common = ["--interface", "127.0.0.1", "--count", "500", "--insecure"];
        await using ChildProcess subscriber = Start("Subscriber", [.. common, "--server", $"127.0.0.1:{port}"]);
        await HearsAsync(subscriber, "Trying again.");
        await using ChildProcess publisher = Start("Publisher", [.. common, "--host", "--port", port]);
        await AssertEndsAsync(publisher, 0);
        await AssertEndsAsync(subscriber, 0);
    }

    [Theory]
    [InlineData("Publisher", "Give --host or --server, not both.", "--host", "--server", "127.0.0.1")]
    [InlineData("Publisher", "--size is less than 8.", "--size", "7")]
    [InlineData("Publisher", "Transport.Interface", "--interface", "no such thing")]
    [InlineData("Subscriber", "Give --host or --server, not both.", "--host", "--server", "127.0.0.1")]
    [InlineData("QuickStart", "--drop is not in [0, 1).", "--drop", "1.5")]
    [InlineData("QuickStart", "--size is less than 20.", "--size", "19")]
    [InlineData("QuickStart", "Nothing is to be done.", "--groups", "0")]
    [InlineData("QuickStart", "not all processes ended well", "--size", "2000000", "--messages", "1")]
    [InlineData("Publisher", "--count is less than 1.", "--count", "0")]
    [InlineData("Publisher", "Membership.Port: 99999 is not between 1 and 65535", "--port", "99999")]
    [InlineData("Publisher", "Security.KeyFile: '/no/such/file'", "--host", "--key-file", "/no/such/file")]
    [InlineData("FileSend", "/no/such/file", "/no/such/file")]
    [InlineData("FileSend", "denied", "/")]
    [InlineData("TwoMachines", "takes no arguments", "host")]
    [InlineData("TwoSites", "the name of a site", "oslo")]
    [InlineData(
        "Worker", "Security.KeyFile: '/no/such/file'", "--QuickSilver:Security:KeyFile=/no/such/file",
        "--QuickSilver:Membership:Mode=Host")]
    public async Task A_command_line_that_makes_no_sense_is_refused(
        string program, string refusal, params string[] arguments)
    {
        await using ChildProcess sample = Start(program, arguments);
        await AssertEndsAsync(sample, 1);
        Assert.Contains(refusal, sample.LastLines, StringComparison.Ordinal);
        Assert.DoesNotContain("Unhandled", sample.LastLines, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Feed", "1,000,000 prices in ")]
    [InlineData("FileSend", "first copy: 20,971,520 bytes, equal: True")]
    [InlineData("FileSend", "second copy: 20,971,520 bytes, equal: True")]
    [InlineData("LatestByKey", "the last of each sensor: 1000000, 999991, 999992, 999993, 999994, 999995, 999996, ")]
    [InlineData("ManyGroups", "instrument 0 is over.")]
    [InlineData("ManyGroups", "10,000 instruments, the last price of each: 99 to 99.")]
    [InlineData("OrderedAccounts", "equal: True")]
    [InlineData("World", "player 0 sees 30 objects at their last place.")]
    [InlineData("World", "player 2 sees 30 objects at their last place.")]
    [InlineData("TwoMachines", "host has heard from client: hello from ")]
    [InlineData("TwoMachines", "client has heard from host: hello from ")]
    public async Task A_small_sample_shows_what_it_says(string program, string line)
    {
        await using ChildProcess sample = Start(program);
        await AssertEndsAsync(sample, 0);
        Assert.Contains(line, sample.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_sites_greet_each_other()
    {
        string port = ProgramCluster.Text(FreePort.Find());
        string key = Path.Combine(Path.GetTempPath(), $"two-sites-{Guid.NewGuid():N}.key");
        try
        {
            await using ChildProcess berlin = Start("TwoSites", "berlin", port, key);
            await using ChildProcess tokyo = Start("TwoSites", "tokyo", port, key);
            await HearsAsync(berlin, "from tokyo, by gateway of berlin, sent by application of tokyo");
            await HearsAsync(tokyo, "from berlin, by gateway of tokyo, sent by application of berlin");
        }
        finally
        {
            File.Delete(key);
        }
    }

    [Fact]
    public async Task Two_workers_greet_each_other_and_end_in_order()
    {
        string port = $"--QuickSilver:Membership:Port={ProgramCluster.Text(FreePort.Find())}";
        await using ChildProcess one = Start("Worker", port, "--QuickSilver:NodeName=one");
        await using ChildProcess two = Start("Worker", port, "--QuickSilver:NodeName=two");
        await HearsAsync(one, "two says hello");
        await HearsAsync(two, "one says hello");
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there is no SIGTERM");
        foreach (ChildProcess worker in (ChildProcess[])[two, one])
        {
            using (Process kill = Process.Start("kill", ["-TERM", ProgramCluster.Text(worker.Id)]))
                await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
            await AssertEndsAsync(worker, 0);
        }
    }

    private static async Task HearsAsync(ChildProcess program, string line)
    {
        long start = Environment.TickCount64;
        while (!program.LastLines.Contains(line, StringComparison.Ordinal))
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, program.LastLines);
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    private static ChildProcess Start(string program, params string[] arguments) =>
        ChildProcess.Start(program, Path.Combine(AppContext.BaseDirectory, program + ".dll"), arguments);

    private static async Task AssertEndsAsync(ChildProcess program, int code)
    {
        int ended = await program.Exit.WaitAsync(Patience, TestContext.Current.CancellationToken);
        Assert.True(ended == code, $"{program.Name} ended with {ended}, not {code}: {program.LastLines}");
    }
}
