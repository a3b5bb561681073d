using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Tests.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Which cipher a view gets, of nodes that have different ones.</summary>
public sealed class CipherTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly SealCiphers Both = SealCiphers.Of(SealCipher.Aes256Gcm, SealCipher.Aegis128L);
    private static readonly SealCiphers Aes = SealCiphers.Of(SealCipher.Aes256Gcm);
    private static readonly SealCiphers ChaCha = SealCiphers.Of(SealCipher.ChaCha20Poly1305);

    private readonly MembershipWorld _world = new(
        settings: new MembershipServerSettings { Crypto = new FrameworkSuite() });

    private ushort _port = 1000;

    [Fact]
    public void AViewHasTheBestCipherOfAllItsMembersAndChangesItWithThem()
    {
        WorldNode[] nodes = [Add("a", Both), Add("b", Both)];
        foreach (WorldNode node in nodes) node.Join("g");
        _world.Run(Second);
        Assert.All(nodes, node => Assert.Equal(SealCipher.Aegis128L, CipherOf(node, "g")));
        WorldNode lesser = Add("lesser", Aes);
        _world.Run(Second);
        Assert.All(nodes, node => Assert.Equal(SealCipher.Aegis128L, CipherOf(node, "g")));
        lesser.Join("g");
        _world.Run(Second);
        Assert.All([.. nodes, lesser], node => Assert.Equal(SealCipher.Aes256Gcm, CipherOf(node, "g")));
        lesser.Leave("g");
        _world.Run(Second);
        Assert.All(nodes, node => Assert.Equal(SealCipher.Aegis128L, CipherOf(node, "g")));
        _world.CheckQuiet();
    }

    [Fact]
    public void WhoOnlySendsToAViewCountsAsItsMembersDo()
    {
        WorldNode member = Add("member", Both);
        WorldNode neighbour = Add("neighbour", Aes);
        WorldNode publisher = Add("publisher", Aes);
        _world.IsChecked = node => node != publisher;
        member.Join("g");
        _world.Run(Second);
        Assert.Equal(SealCipher.Aegis128L, CipherOf(member, "g"));
        // Another region, whose members send to the first one.
        neighbour.Join("g", "h");
        _world.Run(Second);
        Assert.Equal(SealCipher.Aes256Gcm, CipherOf(member, "g"));
        neighbour.Goodbye();
        _world.Run(Second);
        Assert.Equal(SealCipher.Aegis128L, CipherOf(member, "g"));
        publisher.Agent.RequestPublish(["g"], static _ => 0, _world.Now);
        _world.Run(Second);
        Assert.Equal(SealCipher.Aes256Gcm, CipherOf(member, "g"));
        // It is gone for good: the region gets a view of the same member.
        publisher.Goodbye();
        _world.Run(Second);
        Assert.Equal(SealCipher.Aegis128L, CipherOf(member, "g"));
    }

    [Fact]
    public void EveryNodeOfAViewIsToldOneCipher()
    {
        var told = new Dictionary<ViewNumber, SealCipher>();
        SealCiphers[] kinds = [Both, Aes, Both];
        WorldNode[] nodes = [.. Enumerable.Range(0, 9).Select(index => Add($"n{index}", kinds[index % 3]))];
        for (int round = 0; round < 30; round++)
        {
            WorldNode node = nodes[_world.Random.NextBelow(9)];
            string group = $"g{_world.Random.NextBelow(3)}";
            if (!node.Wanted.Contains(group)) node.Join(group);
            else if (node.Groups.ContainsKey(group)) node.Leave(group);
            _world.Run(TimeSpan.FromMilliseconds(_world.Random.NextBelow(40)));
        }
        _world.Run(Second);
        foreach (WorldNode node in nodes)
        {
            Assert.Null(node.Expelled);
            foreach (InstalledStep step in node.Steps)
            {
                for (int index = 0; index < step.Opened.Count; index++)
                {
                    SealCipher cipher = step.Secrets[index].Cipher;
                    if (!told.TryAdd(step.Opened[index].Number, cipher))
                        Assert.Equal(told[step.Opened[index].Number], cipher);
                }
            }
        }
        Assert.Contains(SealCipher.Aes256Gcm, told.Values);
        Assert.Contains(SealCipher.Aegis128L, told.Values);
    }

    [Fact]
    public void ANodeIsRefusedOnlyWhenNothingIsCommonToAll()
    {
        WorldNode first = Add("first", Both);
        WorldNode second = Add("second", Aes);
        WorldNode third = Add("third", ChaCha);
        first.Join("g");
        second.Join("g");
        _world.Run(Second);
        Assert.Equal(MembershipRefusal.NoCommonCipher, third.Expelled);
        Assert.Null(first.Expelled);
        Assert.Equal(SealCipher.Aes256Gcm, CipherOf(second, "g"));
        Assert.Equal(1UL, _world.Server.CountOf(MembershipRefusal.NoCommonCipher));
    }

    [Fact]
    public void AProcessThatTakesThePlaceOfItsFormerLifeIsJudgedWithoutThatOne()
    {
        WorldNode former = Add("only", Aes);
        _world.Run(Second);
        former.Crash();
        WorldNode next = _world.Add(SettingsOf("only", ChaCha, _port++) with { Incarnation = 2 });
        _world.Run(Second);
        Assert.Null(next.Expelled);
        Assert.NotNull(next.Agent.Cluster.Self);
    }

    [Fact]
    public void AServerThatGivesACipherThatTheNodeLacksIsNotBelieved()
    {
        _world.OnFrameToNode = (_, frame) =>
        {
            // Kind, number of views, counter, form, cipher.
            if (frame[0] == (byte)FrameKind.Keys) frame[4] = (byte)SealCipher.Aegis128L;
            return frame;
        };
        WorldNode node = Add("node", Aes);
        node.Join("g");
        _world.Run(Second);
        Assert.Equal(MembershipRefusal.BadFrame, node.Expelled);
    }

    [Fact]
    public void ARegistrationWithoutTheFieldIsOfANodeWithAes()
    {
        Assert.Equal(Aes, new HelloFrame { IsSealed = true }.Ciphers);
        Assert.Equal(default, new HelloFrame().Ciphers);
        var hello = new HelloFrame
        {
            IsSealed = true,
            ClusterName = "c",
            Control = new NetEndpoint(1, 2),
            Ciphers = new SealCiphers(0b1010_1000),
        };
        var frame = new FrameBuilder();
        hello.WriteTo(frame);
        HelloFrame read = HelloFrame.TryRead(frame.Span)!;
        Assert.Equal(hello, read);
        // Of bits that mean nothing here nothing is taken.
        Assert.Equal(SealCipher.Aegis128L, read.Ciphers.Preferred);
        Assert.Equal(SealCipher.None, new SealCiphers(0b1111_0001).Preferred);
    }

    [Fact]
    public void TwoCiphersGetTwoKeys()
    {
        var suite = new FrameworkSuite();
        byte[] secret = new byte[ICryptoSuite.KeyBytes];
        var keys = new HashSet<string>();
        foreach (SealCipher cipher in (SealCipher[])[
            SealCipher.ChaCha20Poly1305, SealCipher.Aes256Gcm, SealCipher.Aegis128L])
        {
            byte[] key = new byte[ICryptoSuite.KeyBytes];
            KeySchedule.Lane(suite, cipher, secret, SealLane.Sender, 7, key);
            Assert.True(keys.Add(Convert.ToHexString(key)));
            KeySchedule.Text(suite, cipher, secret, key);
            Assert.True(keys.Add(Convert.ToHexString(key)));
        }
    }

    private WorldNode Add(string name, SealCiphers ciphers) => _world.Add(SettingsOf(name, ciphers, _port++));

    private static AgentSettings SettingsOf(string name, SealCiphers ciphers, ushort port) => new(
        "default", name, 1, new NetEndpoint(0x0A000001, port), new NetEndpoint(0x0A000001, (ushort)(port + 20_000)),
        1 << 20, true, Second)
    {
        IsSecured = true,
        Ciphers = ciphers,
    };

    private static SealCipher CipherOf(WorldNode node, string group)
    {
        GroupInfo info = node.Groups[group];
        ulong self = node.Agent.Cluster.Self!.Number.Key;
        RegionView view = node.Agent.Cluster.ViewsOf(info.Id).First(view => view.IndexOf(self) >= 0);
        foreach (InstalledStep step in node.Steps)
        {
            for (int index = 0; index < step.Opened.Count; index++)
            {
                if (step.Opened[index].Number == view.Number) return step.Secrets[index].Cipher;
            }
        }
        return SealCipher.None;
    }
}
