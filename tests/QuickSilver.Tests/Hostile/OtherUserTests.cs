using System.Globalization;
using QuickSilver.Bench.Processes;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// What another user of the machine tries at nodes that run as root: their key, their memory, their ports. What depends
/// on security is tried twice, as in <see cref="DatagramAttackTests"/>. What depends on the kernel's rights is tried
/// once more by root, which shows that the attempt is one.
/// </summary>
[Collection(NodeCollection.Name)]
public sealed class OtherUserTests
{
    private const int Rounds = 2_000;
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_key_of_a_user_is_neither_read_nor_replaced(bool isFolderOpen)
    {
        using OtherUser mallory = await OtherUser.FindAsync();
        string own = await mallory.OwnFolderAsync();
        Assert.Null(LoopbackKey.TryFind([mallory.Folder], out string key));
        string folder = Path.GetDirectoryName(key)!;
        if (isFolderOpen && !OperatingSystem.IsWindows()) File.SetUnixFileMode(folder, (UnixFileMode)0x1ED);
        string text = await File.ReadAllTextAsync(key, TestContext.Current.CancellationToken);
        string tries = Tries(
            $"cat {key}", $"cp {key} {own}/copy", $"ln {key} {own}/link", $"ln -s {own}/mine {folder}/loopback.key.1",
            $"ls {folder}/../quicksilver/. | grep -q draft", $"chmod 666 {key}", $"mv {key} {own}/moved",
            $"echo mine > {key}", $"touch {folder}/other", $"rm -f {key}", $"mv {folder} {own}/folder");
        (_, string said) = await mallory.TryAsync(tries);
        Assert.Equal("", said);
        Assert.Equal(text, await File.ReadAllTextAsync(key, TestContext.Current.CancellationToken));
        Assert.Null(LoopbackKey.TryFind([mallory.Folder], out string again));
        Assert.Equal(key, again);
        (_, said) = await OtherUser.TryAsSelfAsync(tries);
        Assert.Contains($"done: cat {key}", said, StringComparison.Ordinal);
        Assert.Contains($"done: rm -f {key}", said, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_silent_listener_of_another_user_keeps_no_node_from_its_start(bool isSecured)
    {
        using OtherUser mallory = await OtherUser.FindAsync();
        var said = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        const string Squat = "$| = 1; $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 14999, "
            + "Listen => 5); print $s ? 'listens' : 'taken', qq(\\n); <STDIN>";
        await using ChildProcess squatter = ChildProcess.Start(
            "squatter", [.. OtherUser.As, "perl", "-MIO::Socket::INET", "-e", Squat], line => said.TrySetResult(line));
        Task first = await Task.WhenAny(said.Task, squatter.Exit).WaitAsync(NodeRig.Patience);
        Assert.SkipUnless(
            first == said.Task && await said.Task == "listens", "no perl here, or somebody serves on this machine");
        string key = TestKeys.NewText();
        var nodes = new List<QuickSilverNode>();
        try
        {
            for (int index = 0; index < 2; index++)
            {
                var options = new QuickSilverOptions { ClusterName = "squatted", NodeName = $"n{index}" };
                if (isSecured) options.Security.UsePreSharedKey(PreSharedKey.FromBase64(key));
                else options.Security.UseNone();
                nodes.Add(await QuickSilverNode.StartAsync(options, TestContext.Current.CancellationToken)
                    .WaitAsync(NodeRig.Patience));
            }
            Group group = await nodes[0].JoinAsync("g");
            await nodes[1].JoinAsync("g");
            await NodeRig.UntilAsync(() => group.View.MemberCount == 2, "they meet");
            Assert.False(squatter.Exit.IsCompleted);
        }
        finally
        {
            foreach (QuickSilverNode node in nodes) await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task The_memory_that_nodes_share_is_reached_by_no_name_and_by_no_process_of_another_user()
    {
        using OtherUser mallory = await OtherUser.FindAsync();
        await using var rig = new NodeRig();
        (Group alice, Group bob) = await rig.StartPairAsync();
        await alice.SendConfirmedAsync("lent").WaitAsync(NodeRig.Patience);
        Assert.Equal(["lent"], await NodeRig.ReadAsync(bob, 1));
        string process = string.Create(CultureInfo.InvariantCulture, $"/proc/{Environment.ProcessId}");
        string tries = Tries(
            $"grep -q memfd:quicksilver {process}/maps", $"ls {process}/fd/", $"ls {process}/map_files/",
            $"head -c 1 {process}/mem > /dev/null || test -r {process}/mem", $"cat {process}/environ",
            $"for one in {process}/fd/*; do readlink $one && break; done",
            "ls /dev/shm | grep -i quicksilver", "grep -i quicksilver /proc/net/unix");
        (_, string said) = await mallory.TryAsync(tries);
        Assert.Equal("", said);
        (_, said) = await OtherUser.TryAsSelfAsync(tries);
        Assert.SkipUnless(said.Contains("done: grep -q memfd", StringComparison.Ordinal), "nodes share no memory here");
        Assert.Contains($"done: ls {process}/fd/", said, StringComparison.Ordinal);
        Assert.DoesNotContain("/dev/shm", said, StringComparison.Ordinal);
        Assert.DoesNotContain("/proc/net/unix", said, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Another_user_registers_only_without_security(bool isSecured)
    {
        using OtherUser mallory = await OtherUser.FindAsync();
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await rig.StartPairAsync(change: Trouble.Patient);
        using DatagramForger known = await DatagramForger.AgainstAsync(alice.Node);
        var victim = new NetEndpoint(0x7F000001, (ushort)known.ControlPortOf(bob.Node));
        byte[][] words =
        [
            RawFrames.Hello("tests", 40_001),
            RawFrames.Hello("tests", victim, victim),
            [.. RawFrames.Frame([3]), .. RawFrames.Frame([4, .. new byte[40]])],
            RawFrames.Frame([6, .. new byte[30]]),
        ];
        var answered = new List<int>();
        foreach (byte[] word in words)
        {
            string file = await mallory.GiveAsync("word", word);
            // An answer is longer than a refusal, or the connection ends.
            (int code, string said) = await mallory.TryAsync(
                $"exec 3<>/dev/tcp/127.0.0.1/{rig.Port} && cat {file} >&3 && head -c 9 <&3 | wc -c");
            Assert.Equal(0, code);
            answered.Add(int.Parse(said, CultureInfo.InvariantCulture));
            if (!isSecured) break;
        }
        if (isSecured) Assert.All(answered, static bytes => Assert.InRange(bytes, 0, 8));
        else Assert.Equal([9], answered);
        await alice.SendConfirmedAsync("still here").WaitAsync(NodeRig.Patience);
        Assert.Equal(["still here"], await NodeRig.ReadAsync(bob, 1));
        Assert.Equal(2, alice.View.MemberCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_node_of_another_user_gets_into_a_group_only_without_security(bool isSecured)
    {
        using OtherUser mallory = await OtherUser.FindAsync();
        string program = Path.Combine(AppContext.BaseDirectory, "QuickSilver.TestPrograms.dll");
        string runtime = ChildProcess.CommandOf(program)[0];
        (int isReadable, _) = await mallory.TryAsync($"test -r {program} && {runtime} --list-runtimes > /dev/null");
        Assert.SkipUnless(isReadable == 0, "another user cannot run the programs of these tests here");
        string own = await mallory.OwnFolderAsync();
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await rig.StartPairAsync();
        string port = rig.Port.ToString(CultureInfo.InvariantCulture);
        string[] arguments =
        [
            "subscribe", "--port", port, "--cluster", "tests", "--group", "group", "--expect", "1", "--timeout", "85",
            "--quiet", "--tied",
        ];
        if (!isSecured) arguments = [.. arguments, "--insecure"];
        await using ChildProcess node = ChildProcess.Start(
            "nobody", [.. OtherUser.As, .. ChildProcess.CommandOf(program, arguments)],
            environment: new Dictionary<string, string>
            {
                ["HOME"] = own,
                ["XDG_STATE_HOME"] = own,
                ["DOTNET_EnableDiagnostics"] = "0",
            });
        if (isSecured)
        {
            Assert.NotEqual(0, await node.Exit.WaitAsync(Patience));
            Assert.Contains("key", node.LastLines, StringComparison.Ordinal);
            Assert.True(File.Exists(Path.Combine(own, "quicksilver", "loopback.key")), "it has a key of its own");
        }
        else
        {
            await alice.WaitForMembersAsync(3).WaitAsync(Patience);
        }
        await alice.SendAsync("for members");
        Assert.Equal(["for members"], await NodeRig.ReadAsync(bob, 1));
        Assert.Equal(isSecured ? 2 : 3, alice.View.MemberCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_acknowledgement_of_another_user_confirms_only_without_security(bool isSecured)
    {
        using OtherUser mallory = await OtherUser.FindAsync();
        await using var rig = new NodeRig(isSecured);
        (Group alice, Group bob) = await rig.StartPairAsync(change: options =>
        {
            Trouble.Patient(options);
            // As if the source were spoofed: a socket of its own cannot have the port of a node.
            options.Transport.CheckSources = false;
        });
        using DatagramForger forger = await DatagramForger.AgainstAsync(alice.Node);
        ulong addressee = DatagramForger.KeyOf(alice.Node);
        for (ulong stable = 1; stable < 5; stable++)
        {
            foreach (bool looksSealed in (bool[])[false, true])
            {
                byte[] ack = forger.Forge(
                    bob.Node, DatagramKind.Ack, DatagramForger.Ack(stable), addressee, looksSealed);
                await mallory.GiveAsync($"ack-{stable}-{looksSealed}", ack);
            }
        }
        string flood =
            $"for i in $(seq {Rounds}); do for f in {mallory.Folder}/ack-*; do "
            + $"cat $f > /dev/udp/127.0.0.1/{forger.ControlPortOf(alice.Node)}; done; done";
        Task<DeliveryReport> confirmed;
        using (await Trouble.FreezeAsync(bob.Node))
        {
            confirmed = alice.SendConfirmedAsync(new byte[100]);
            await using ChildProcess shell = ChildProcess.Start("mallory", [.. OtherUser.As, "bash", "-c", flood]);
            if (isSecured)
            {
                await NodeRig.UntilAsync(
                    async () => await DatagramForger.RejectedAsync(
                        alice.Node, RejectReason.WrongVersion, RejectReason.Gate) > 100,
                    "forged acknowledgements are refused");
                await Task.WhenAny(confirmed, Task.Delay(Long));
                Assert.False(confirmed.IsCompleted, "a message that the other member does not hold was confirmed");
            }
            else
            {
                await confirmed.WaitAsync(NodeRig.Patience);
            }
            shell.Kill();
        }
        await confirmed.WaitAsync(NodeRig.Patience);
    }

    // Says of each command whether it did what it was to do.
    private static string Tries(params string[] commands) => string.Join(
        '\n', commands.Select(static one => $"({one}) > /dev/null 2>&1 && echo 'done: {one}'")) + "\ntrue";
}
