using QuickSilver.Bench.Processes;
using QuickSilver.TestPrograms;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Processes;

/// <summary>The programs that other tests start do what those tests count on.</summary>
[Collection(ProcessCollection.Name)]
public sealed class TestProgramTests
{
    [Fact]
    public async Task A_subscriber_that_misses_messages_says_so_and_ends_with_another_code()
    {
        await using ChildProcess subscriber =
            Subscribe("--port", ProgramCluster.Text(FreePort.Find()), "--expect", "1", "--timeout", "8", "--quiet");
        await AssertEndsAsync(subscriber, ExitCodes.TimedOut);
        Assert.Contains("0 of 1 messages had come", subscriber.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Lines_typed_into_a_publisher_are_printed_by_a_subscriber()
    {
        string port = ProgramCluster.Text(FreePort.Find());
        await using ChildProcess subscriber = Subscribe("--port", port, "--expect", "2", "--timeout", "60");
        await using ChildProcess publisher =
            Publish("--port", port, "--members", "2", "--timeout", "60", "--name", "typist");
        await publisher.TellAsync("hello");
        await publisher.TellAsync("world");
        await AssertEndsAsync(subscriber, ExitCodes.Success);
        Assert.Contains("greetings 1 typist: hello", subscriber.LastLines, StringComparison.Ordinal);
        Assert.Contains("greetings 2 typist: world", subscriber.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Programs_meet_at_a_server_that_is_named()
    {
        var options = new QuickSilverOptions { NodeName = "server" };
        options.OnNetwork(MembershipMode.Host);
        options.Membership.Port = FreePort.Find();
        options.Transport.Interface = "127.0.0.1";
        await using QuickSilverNode server =
            await QuickSilverNode.StartAsync(options, TestContext.Current.CancellationToken);
        string address = $"127.0.0.1:{options.Membership.Port}";
        string[] place = ["--server", address, "--interface", "127.0.0.1", "--timeout", "60", "--quiet", "--insecure"];
        await using ChildProcess subscriber = Subscribe([.. place, "--expect", "100"]);
        await using ChildProcess publisher = Publish([.. place, "--count", "100", "--members", "2"]);
        await AssertEndsAsync(publisher, ExitCodes.Success);
        await AssertEndsAsync(subscriber, ExitCodes.Success);
    }

    [Fact]
    public async Task Publishers_check_what_other_publishers_send()
    {
        string port = ProgramCluster.Text(FreePort.Find());
        string[] both =
        [
            "--port", port, "--groups", "5", "--count", "200", "--size", "200",
            "--members", "2", "--expect", "200", "--timeout", "60", "--quiet",
        ];
        await using ChildProcess first = Publish([.. both, "--name", "first"]);
        await using ChildProcess second = Publish([.. both, "--name", "second"]);
        await AssertEndsAsync(first, ExitCodes.Success);
        await AssertEndsAsync(second, ExitCodes.Success);
    }

    [Theory]
    [InlineData("--drop is not in [0, 1).", "--count", "1", "--drop", "1.5")]
    [InlineData("Cannot parse argument 'x' for option '--count'", "--count", "x")]
    [InlineData("--transport InMemory reaches nodes of one process only.", "--transport", "inmemory")]
    public async Task A_command_line_that_makes_no_sense_is_refused_before_anything_starts(
        string refusal, params string[] arguments)
    {
        await using ChildProcess publisher = Publish(arguments);
        await AssertEndsAsync(publisher, ExitCodes.Error);
        Assert.Contains(refusal, publisher.LastLines, StringComparison.Ordinal);
        Assert.DoesNotContain("Unhandled exception", publisher.LastLines, StringComparison.Ordinal);
    }

    private static ChildProcess Publish(params string[] arguments) =>
        ProgramRun.Start("publish", "publisher", arguments);

    private static ChildProcess Subscribe(params string[] arguments) =>
        ProgramRun.Start("subscribe", "subscriber", arguments);

    private static async Task AssertEndsAsync(ChildProcess program, int code)
    {
        int ended = await program.Exit.WaitAsync(TestContext.Current.CancellationToken);
        Assert.True(ended == code, $"{program.Name} ended with {ended}, not {code}: {program.LastLines}");
    }
}
