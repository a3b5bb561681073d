using QuickSilver.Bench.Processes;
using QuickSilver.TestPrograms;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Processes;

/// <summary>The programs that newcomers copy end in order when they are interrupted: the others need not find
/// out.</summary>
[Collection(ProcessCollection.Name)]
public sealed class GreetingsTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task The_subscriber_of_the_readme_leaves_on_ctrl_c()
    {
        await using QuickSilverNode host = await StartHostAsync();
        await using Group group = await host.JoinAsync("greetings");
        string port = ProgramCluster.Text(Port(host));
        await using ChildProcess subscriber = Start("Greetings", "subscribe", port);
        await group.WaitForMembersAsync(2).WaitAsync(Patience);
        await using ChildProcess publisher = Start("Greetings", "publish", port);
        Assert.True(await publisher.Exit.WaitAsync(Patience) == 0, publisher.LastLines);
        await UntilAsync(
            () => subscriber.LastLines.Contains("hello from", StringComparison.Ordinal), "it prints the greeting");
        await InterruptAsync(subscriber);
        await UntilAsync(() => group.View.MemberCount == 1, "the others see it leave");
        Assert.True(await subscriber.Exit.WaitAsync(Patience) == 0, subscriber.LastLines);
        Assert.DoesNotContain("Unhandled", subscriber.LastLines, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Subscriber")]
    [InlineData("Publisher")]
    public async Task The_sample_programs_leave_on_ctrl_c(string program)
    {
        await using QuickSilverNode host = await StartHostAsync();
        await using Group group = await host.JoinAsync("greetings");
        await using ChildProcess sample = Start(program, "--port", ProgramCluster.Text(Port(host)));
        if (program == "Publisher")
        {
            await NodeRig.ReadAsync(group, 1);
        }
        else
        {
            await group.WaitForMembersAsync(2).WaitAsync(Patience);
            await UntilAsync(
                () => sample.LastLines.Contains("is in greetings", StringComparison.Ordinal), "it has joined");
        }
        await InterruptAsync(sample);
        await UntilAsync(() => group.View.MemberCount == 1, "the others see it leave");

        // A join waits for all who may send, so for the sample, unless that has said goodbye.
        await group.LeaveAsync().WaitAsync(Patience);
        await using Group again = await host.JoinAsync("greetings").WaitAsync(Patience);
        Assert.True(await sample.Exit.WaitAsync(Patience) == 0, sample.LastLines);
        Assert.DoesNotContain("Unhandled", sample.LastLines, StringComparison.Ordinal);
    }

    // The server misses a process that ends without saying goodbye only after these times: no test waits for them.
    private static Task<QuickSilverNode> StartHostAsync()
    {
        var options = new QuickSilverOptions();
        options.Membership.Port = FreePort.Find();
        options.Membership.ReconnectGrace = TimeSpan.FromMinutes(5);
        options.Membership.FailureTimeout = TimeSpan.FromMinutes(10);
        return QuickSilverNode.StartAsync(options, TestContext.Current.CancellationToken);
    }

    private static int Port(QuickSilverNode host) => host.Core.Services.Options.Membership.Port;

    // What starts tests in the background may ignore the signal, and its children with it.
    private static ChildProcess Start(string program, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The signal of Ctrl+C is sent with kill.");
        string assembly = Path.Combine(AppContext.BaseDirectory, program + ".dll");
        return ChildProcess.Start(
            program, ["env", "--default-signal=INT", .. ChildProcess.CommandOf(assembly, arguments)]);
    }

    private static async Task InterruptAsync(ChildProcess program)
    {
        await using ChildProcess kill = ChildProcess.Start("kill", ["kill", "-INT", ProgramCluster.Text(program.Id)]);
        Assert.Equal(0, await kill.Exit.WaitAsync(Patience));
    }

    private static async Task UntilAsync(Func<bool> holds, string what)
    {
        long start = Environment.TickCount64;
        while (!holds())
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, $"never: {what}");
            await Task.Delay(20);
        }
    }
}
