using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class FrameTests
{
    private static readonly Epoch ServerEpoch = new(3, 0x1122334455667788);
    private static readonly ProtocolVersions Later = new(90, 99);

    [Fact]
    public void HelloHasItsBytes()
    {
        var frame = new FrameBuilder();
        var hello = new HelloFrame
        {
            ClusterName = "c",
            NodeName = "nä",
            Incarnation = 300,
            Control = new NetEndpoint(0x7F000001, 1000),
            Data = new NetEndpoint(0x7F000001, 127),
            ReceiveBufferBytes = 4096,
            LongestDatagram = 1208,
            Multicast = true,
            Number = new NodeNumber(ServerEpoch, 5),
            Received = 129,
            Session = new Epoch(4, 1),
            Instance = 2,
            Secret = new UInt128(0x1122, 0x3344),
        };
        hello.WriteTo(frame);
        Assert.Equal(
            "01" + "51534D42" + "0202" + "00" + "0163" + "036EC3A4" + "AC02" + "0100007FE807" + "0100007F7F" + "8020"
            + "B809"
            + "03" + "038877665544332211" + "05" + "8101" + "040100000000000000" + "0200000000000000"
            + "44330000000000002211000000000000" + "00",
            Hex(frame));
        Assert.Equal(hello, HelloFrame.TryRead(frame.Span));
        Assert.True(frame.Length <= MembershipFrames.MaxHelloBytes);
    }

    [Fact]
    public void SeekHasItsBytesAndIsJudgedByClusterThenVersion()
    {
        var frame = new FrameBuilder();
        var seek = new SeekFrame(ProtocolVersions.Spoken, true, "c");
        seek.WriteTo(frame);
        byte[] bytes = frame.ToArray();
        Assert.Equal("07" + "5153534B" + "0202" + "01" + "0163", Convert.ToHexString(bytes));
        Assert.Equal(seek, SeekFrame.TryRead(bytes));
        for (int length = 0; length < bytes.Length; length++) Assert.Null(SeekFrame.TryRead(bytes.AsSpan(0, length)));
        Assert.Null(SeekFrame.TryRead([.. bytes, 0]));
        Assert.Equal(MembershipRefusal.None, (seek with { IsSealed = false }).Judge("c", isSealed: false));
        Assert.Equal(MembershipRefusal.OtherSecurity, seek.Judge("c", isSealed: false));
        Assert.Equal(MembershipRefusal.WrongVersion, (seek with { Versions = Later }).Judge("c", isSealed: false));
        Assert.Equal(MembershipRefusal.WrongCluster, new SeekFrame(Later, false, "d").Judge("c", isSealed: false));
        Assert.Equal(MembershipRefusal.None, SeekFrame.TryReadAnswer(MembershipFrames.Found));
        Assert.Equal(
            MembershipRefusal.WrongVersion,
            SeekFrame.TryReadAnswer(MembershipFrames.Refusal(MembershipRefusal.WrongVersion)));
        Assert.Equal([33, 2, 5, 9], MembershipFrames.Refusal(new ProtocolVersions(5, 9)));
        Assert.Equal(MembershipRefusal.WrongVersion, SeekFrame.TryReadAnswer([33, 2, 5, 9]));
        foreach (byte[] other in (byte[][])[[], [39, 0], [33], [33, 0], "no"u8.ToArray()])
            Assert.Null(SeekFrame.TryReadAnswer(other));
    }

    /// <summary>They are shown in logs and on terminals: none may begin a line of its own there.</summary>
    [Theory]
    [InlineData("line\nbreak")]
    [InlineData("\u001b[2Jcleared")]
    [InlineData("next\u0085line")]
    [InlineData("nul\0")]
    public void NamesWithControlCharactersAreMalformed(string name)
    {
        var frame = new FrameBuilder();
        new HelloFrame { ClusterName = name }.WriteTo(frame);
        Assert.False(MembershipFrames.IsHello(frame.Span));
        Assert.Null(HelloFrame.TryRead(frame.Span));

        new HelloFrame { ClusterName = "c", NodeName = name }.WriteTo(frame);
        Assert.Null(HelloFrame.TryRead(frame.Span));
    }

    [Fact]
    public void HelloOfAnotherVersionStillNamesItsCluster()
    {
        var frame = new FrameBuilder();
        new HelloFrame { Versions = Later, ClusterName = "other" }.WriteTo(frame);
        frame.WriteBytes("something new"u8);
        Assert.True(MembershipFrames.IsHello(frame.Span));
        HelloFrame hello = HelloFrame.TryRead(frame.Span)!;
        Assert.Equal("other", hello.ClusterName);
        Assert.Equal(Later, hello.Versions);
        Assert.Null(HelloFrame.TryRead(frame.Span, Later));
        Assert.False(MembershipFrames.IsHello("GET / HTTP/1.1"u8));
        Assert.False(MembershipFrames.IsHello([]));
    }

    [Fact]
    public void WelcomeHasItsBytes()
    {
        var frame = new FrameBuilder();
        var welcome = new WelcomeFrame(
            new Epoch(4, 1), new NodeNumber(ServerEpoch, 200), new Epoch(2, 5), 0x0102030405060708, 7, 1, true, 9,
            "id");
        welcome.WriteTo(frame);
        string numbers = "038877665544332211" + "C801" + "020500000000000000";
        Assert.Equal(
            "20" + "040100000000000000" + "0807060504030201" + numbers + "07" + "01" + "01"
                + "09000000000000000000000000000000" + "026964", Hex(frame));
        var reader = new WireReader(frame.Span[1..]);
        Assert.True(WelcomeFrame.TryRead(ref reader, out WelcomeFrame read));
        Assert.Equal(welcome, read);
    }

    [Fact]
    public void NoticesHaveTheirBytes()
    {
        var frame = new FrameBuilder();
        var node = new NodeInfo(
            new NodeNumber(ServerEpoch, 2), "b", 1, new NetEndpoint(1, 2), new NetEndpoint(3, 4), 5)
        {
            LongestDatagram = 1208,
            Identity = "id",
        };
        NodeFrame.WriteEntry(frame.Begin(), node);
        Assert.Equal(
            "038877665544332211" + "02" + "0162" + "01" + "0100000002" + "0300000004" + "05" + "B809" + "026964",
            Hex(frame));
        GroupFrame.WriteEntry(frame.Begin(), 130, 0, "g", default);
        Assert.Equal("8201" + "00" + "0167", Hex(frame));
        GroupFrame.WriteEntry(frame.Begin(), 130, GroupModes.Hybrid, "g", new NetEndpoint(0xEF010203, 15_000));
        Assert.Equal("8201" + "03" + "0167" + "030201EF9875", Hex(frame));
        RegionFrame.WriteWhole(frame.Begin(), 4, [3, 4, 5, 9]);
        Assert.Equal("04" + "00" + "02" + "0302" + "0300", Hex(frame));
        RegionFrame.WriteDifference(frame.Begin(), 4, 2, [7], []);
        Assert.Equal("04" + "02" + "01" + "0700" + "00", Hex(frame));
        StepFrame.WriteView(frame.Begin(), 4, 6, 1, 5, 2, new NetEndpoint(0xEF010203, 15_000));
        Assert.Equal("04" + "06" + "01" + "05" + "02" + "030201EF9875", Hex(frame));
    }

    [Fact]
    public void AViewOfAMergedRegionNamesTheHomesOfItsMembers()
    {
        var reader = new WireReader(
            Convert.FromHexString(
                "09" + "04" + "00" + "000000" + "01" + "04" + "06" + "01" + "05" + "02" + "0000000000"
                + "03" + "01" + "00" + "02" + "8E80808060" + "00" + "03" + "07"));
        StepFrame.ViewEntry view = Assert.Single(StepFrame.TryRead(ref reader)!.Opened);
        Assert.True(view is { IsDifference: true, IsMerged: true });
        Assert.Equal([0], view.Removed);
        Assert.Equal(2, view.Added.Length);
        Assert.Equal([0u, 7u], view.Homes);
        Assert.Equal(3, StepFrame.FormOf(isDifference: true, isMerged: true));
    }

    [Fact]
    public void ObservationsHaveTheirBytes()
    {
        var frame = new FrameBuilder();
        var observed = new NodeObservations();
        observed.Silent.Add(new SilentMember(new NodeNumber(ServerEpoch, 7).Key, TimeSpan.FromMilliseconds(299), true));
        observed.Silent.Add(new SilentMember(new NodeNumber(ServerEpoch, 5).Key, TimeSpan.Zero, false));
        observed.Draining.Add(new DrainingView(new ViewNumber(ServerEpoch, 6), 130, true));
        observed.UnheardFor = TimeSpan.FromMilliseconds(300);
        observed.UnansweredFor = TimeSpan.FromMilliseconds(301);
        observed.Blocked.Add(new BlockedPath(new NodeNumber(ServerEpoch, 7).Key, TimeSpan.FromMilliseconds(300)));
        observed.Slow.Add(
            new SlowMember(new NodeNumber(ServerEpoch, 5).Key, 130, TimeSpan.FromMilliseconds(301)));
        observed.BehindFor = TimeSpan.FromMilliseconds(299);
        observed.IsHandling = true;
        ObservedFrame.Write(frame, observed);
        Assert.Equal(
            "05" + "02" + "8780808030" + "AC02" + "8580808030" + "00" + "01" + "038877665544332211" + "06" + "8201"
                + "01" + "AC02" + "AD02"
            + "01" + "8780808030" + "AC02" + "01" + "8580808030" + "8201" + "AD02" + "AB02" + "01",
            Hex(frame));
        var read = new NodeObservations();
        var reader = new WireReader(frame.Span[1..]);
        Assert.True(ObservedFrame.TryRead(ref reader, read));
        Assert.Equal(observed.Silent, read.Silent);
        Assert.Equal(observed.Draining, read.Draining);
        Assert.Equal(observed.UnheardFor, read.UnheardFor);
        Assert.Equal(observed.UnansweredFor, read.UnansweredFor);
        Assert.Equal(observed.Blocked, read.Blocked);
        Assert.Equal(observed.Slow, read.Slow);
        Assert.Equal((observed.BehindFor, true), (read.BehindFor, read.IsHandling));
        AssertRefusesDamage(frame.ToArray(), bytes =>
        {
            var damaged = new WireReader(bytes.AsSpan(1));
            return ObservedFrame.TryRead(ref damaged, read);
        });
    }

    [Fact]
    public void WhatIsWaitedForHasItsBytes()
    {
        var frame = new FrameBuilder();
        WaitingFrame.Write(frame, new JoinWait(JoinStage.Drain, 130, ["ab", "c"]));
        Assert.Equal("23" + "03" + "8201" + "02" + "026162" + "0163", Hex(frame));
        var reader = new WireReader(frame.Span[1..]);
        JoinWait read = WaitingFrame.TryRead(ref reader)!;
        Assert.Equal((JoinStage.Drain, 130), (read.Stage, read.Total));
        Assert.Equal(["ab", "c"], read.Names);
        Assert.Equal("'ab', 'c' and 128 more are not done with an older view", read.ToString());
        AssertRefusesDamage(frame.ToArray(), bytes =>
        {
            var damaged = new WireReader(bytes.AsSpan(1));
            return WaitingFrame.TryRead(ref damaged) is not null;
        });
    }

    [Fact]
    public void ReportHasItsBytes()
    {
        var frame = new FrameBuilder();
        NodeInfo[] members = [Node(7), Node(5)];
        var region = new RegionInfo(new RegionId(ServerEpoch, 4), [new GroupId(ServerEpoch, 130)]);
        var view = new RegionView(
            new ViewNumber(ServerEpoch, 6), region, new StepNumber(ServerEpoch, 9), members, default, 5);
        frame.Begin(FrameKind.Report).WriteStep(new StepNumber(ServerEpoch, 9)).WriteStep(default)
            .WriteEpoch(new Epoch(2, 5));
        ReportFrame.WriteLoss(frame, TimeSpan.FromMilliseconds(300));
        frame.WriteVarint(1);
        GroupFrame.WriteEntry(frame, 130, 0, "g", default);
        var address = new NetEndpoint(0xEF010203, 15_000);
        GroupFrame.WriteEntry(frame.WriteVarint(1), 131, GroupModes.Hybrid, "h", address);
        frame.WriteVarint(1).WriteVarint(members[0].Number.Key).WriteVarint(1);
        ReportFrame.WriteView(
            frame, view, isActivated: false, isDone: true, [members[0].Number.Key], [members[1].Number.Key]);
        NodeFrame.WriteEntry(frame.WriteVarint(1), members[1]);
        string head = "04" + "09038877665544332211" + "00" + "020500000000000000" + "AC02" + "01" + "8201" + "00"
            + "0167" + "01"
            + "8301" + "03" + "0168" + "030201EF9875" + "01" + "8780808030";
        Assert.Equal(
            head + "01" + "038877665544332211" + "06" + "09" + "02" + "0000000000" + "02" + "8E80808060" + "03" + "01"
                + "8E80808060" + "01" + "8580808030"
            + "01" + "038877665544332211" + "05" + "00" + "01" + "0100000002" + "0300000004" + "0500" + "00",
            Hex(frame));
        ReportFrame read = ReportFrame.TryRead(frame.Span)!;
        Assert.Equal(new GroupInfo(new GroupId(new Epoch(2, 5), 130), "g", 0), Assert.Single(read.Groups));
        Assert.Equal(
            new GroupInfo(new GroupId(new Epoch(2, 5), 131), "h", GroupModes.Hybrid, address),
            Assert.Single(read.Published));
        Assert.Equal([members[0].Number.Key], read.Removed);
        Assert.Equal(TimeSpan.FromMilliseconds(300), read.LostFor);
        ReportFrame.ViewEntry entry = Assert.Single(read.Views);
        Assert.Equal((new StepNumber(ServerEpoch, 9), default), (read.Installed, read.Active));
        Assert.Equal(
            (view.Number, view.FirstStep, false, true),
            (entry.Number, entry.FirstStep, entry.IsActivated, entry.IsDone));
        Assert.Equal([members[0].Number.Key, members[1].Number.Key], entry.Members);
        Assert.Equal([members[1].Number.Key], entry.Open);
        Assert.Equal(members[1].Number, Assert.Single(read.Nodes).Number);
        for (int length = 0; length < frame.Length; length++) Assert.Null(ReportFrame.TryRead(frame.Span[..length]));

        static NodeInfo Node(uint counter) =>
            new(new NodeNumber(ServerEpoch, counter), "", 1, new NetEndpoint(1, 2), new NetEndpoint(3, 4), 5);
    }

    [Fact]
    public void StepHasItsBytes()
    {
        // Step 9: the receiver is in region 4, of which publisher 7 sends; it ceases to publish to groups 3 and 4, and
        // publishes to 130, whose members changed in step 6, and to 131, which has had none.
        byte[] frame = Convert.FromHexString(
            "2B" + "09" + "04" + "00" + "01" + "01" + "8E80808060" + "02" + "0304" + "02" + "820103" + "830109" + "00");
        StepFrame read = Read(frame)!;
        Assert.Equal((9UL, true, 4U), (read.Step, read.IsConcerned, read.OwnRegion));
        Assert.Equal([new NodeNumber(new Epoch(3, 0), 7).Key], read.Senders!);
        Assert.Equal([3U, 4U], read.Ceases);
        Assert.Equal([(130U, 6UL), (131U, 0UL)], read.Publishes);
        Assert.Empty(read.Opened);
        for (int length = 3; length < frame.Length; length++) Assert.Null(Read(frame[..length]));
        Assert.Null(Read([.. frame, 0]));

        // Unchanged senders are left out; the groups to publish to rise; a form of senders is 0 or 1.
        Assert.Null(Read(Convert.FromHexString("2B" + "09" + "04" + "00" + "00" + "00" + "00" + "00"))!.Senders);
        Assert.Null(
            Read(Convert.FromHexString("2B" + "09" + "04" + "00" + "00" + "00" + "02" + "0500" + "0500" + "00")));
        Assert.Null(Read(Convert.FromHexString("2B" + "09" + "04" + "00" + "02" + "00" + "00" + "00")));

        static StepFrame? Read(byte[] bytes)
        {
            var reader = new WireReader(bytes.AsSpan(1));
            return StepFrame.TryRead(ref reader);
        }
    }

    [Fact]
    public void HoldHasItsBytes()
    {
        var frame = new FrameBuilder();
        HoldFrame.Write(frame, new MembershipHold(HoldReason.Sight, 3, 2, ["a", "b"]));
        Assert.Equal("25" + "02" + "03" + "02" + "02" + "0161" + "0162", Hex(frame));
        var reader = new WireReader(frame.Span[1..]);
        MembershipHold read = HoldFrame.TryRead(ref reader)!;
        Assert.Equal((HoldReason.Sight, 3, 2), (read.Reason, read.Missing, read.Present));
        Assert.Equal("3 of 5 members are lost from sight at once: a, b and 1 more", read.ToString());
        for (int length = 1; length < frame.Length; length++)
        {
            var cut = new WireReader(frame.Span[1..length]);
            Assert.Null(HoldFrame.TryRead(ref cut));
        }
    }

    [Fact]
    public void RunsRoundTrip()
    {
        var random = new SeededRandom(5);
        var frame = new FrameBuilder();
        for (int round = 0; round < 500; round++)
        {
            var counters = new SortedSet<uint>();
            ulong bound = random.NextBelow(2) == 0 ? 40UL : uint.MaxValue;
            for (ulong count = random.NextBelow(30); count > 0; count--)
                counters.Add((uint)(1 + random.NextBelow(bound)));
            CounterRuns.Write(frame.Begin(), [.. counters]);
            var reader = new WireReader(frame.Span);
            Assert.Equal(counters, CounterRuns.Read(ref reader));
            Assert.True(reader.IsAtEnd);
        }
    }

    [Theory]
    [InlineData("01")]
    [InlineData("010000")]
    [InlineData("02010001")]
    [InlineData("020100" + "0000")]
    [InlineData("0101FFFFFFFF0F")]
    [InlineData("0202808040" + "02808040")]
    [InlineData("01FFFFFFFF0F01")]
    public void BadRunsAreRefused(string hex)
    {
        var reader = new WireReader(Convert.FromHexString(hex));
        Assert.Empty(CounterRuns.Read(ref reader));
        Assert.True(reader.Failed);
    }

    [Fact]
    public void AFrameOfRegionsUnfoldsToNoMoreThanTheLongestFrameCouldSpellOut()
    {
        // Each region costs a few bytes, and names all the groups there can be.
        uint[] all = [.. Enumerable.Range(1, CounterRuns.MaxCounters).Select(static counter => (uint)counter)];
        const int fits = RegionFrame.MaxCounters / CounterRuns.MaxCounters;
        foreach (int regions in (int[])[fits, fits + 1])
        {
            FrameBuilder frame = new FrameBuilder().Begin().WriteVarint((ulong)regions);
            for (uint region = 1; region <= regions; region++) RegionFrame.WriteWhole(frame, region, all);
            var reader = new WireReader(frame.Span);
            Assert.Equal(regions <= fits, RegionFrame.TryRead(ref reader) is not null);
        }
    }

    [Fact]
    public void ARegionOfAllGroupsCostsAnAgentFourBytesAGroup()
    {
        uint[] all = [.. Enumerable.Range(1, CounterRuns.MaxCounters).Select(static counter => (uint)counter)];
        FrameBuilder frame = new FrameBuilder().Begin().WriteVarint(1);
        RegionFrame.WriteWhole(frame, 1, all);
        long allocated = AllocatedBytes.Of(() =>
        {
            int left = RegionFrame.MaxCounters;
            var reader = new WireReader(frame.Span);
            var cluster = new AgentCluster(ProtocolVersions.Spoken, Probes.None);
            Assert.True(cluster.TryDescribe(RegionFrame.TryRead(ref reader)![0], ref left));
        });
        Assert.InRange(allocated, 4L * CounterRuns.MaxCounters, (4L * CounterRuns.MaxCounters) + 16_000);
    }

    [Fact]
    public void DifferencesOfGroupSetsRoundTrip()
    {
        var random = new SeededRandom(9);
        for (int round = 0; round < 500; round++)
        {
            uint[] from = Draw();
            uint[] to = Draw();
            uint[]? result = RegionGroups.Apply(from, SortedCounters.Except(to, from), SortedCounters.Except(from, to));
            if (to.Length == 0) Assert.Null(result);
            else Assert.Equal(to, result);
        }

        uint[] Draw() =>
            [.. Enumerable.Range(1, 20).Where(_ => random.NextBelow(2) == 0).Select(counter => (uint)counter)];
    }

    [Theory]
    [InlineData(new uint[] { 2 }, new uint[] { }, "plus of what is there")]
    [InlineData(new uint[] { }, new uint[] { 3 }, "minus of what is not there")]
    [InlineData(new uint[] { 5 }, new uint[] { 1, 3 }, "minus of what is not there, and a plus that has no room then")]
    [InlineData(new uint[] { 9 }, new uint[] { 9 }, "minus of what comes with plus")]
    [InlineData(new uint[] { }, new uint[] { 2, 4, 6 }, "nothing left")]
    [InlineData(new uint[] { }, new uint[] { 1, 2, 3, 4 }, "minus of more than there is")]
    public void ImpossibleDifferencesAreRefused(uint[] plus, uint[] minus, string because)
    {
        Assert.True(RegionGroups.Apply([2, 4, 6], plus, minus) is null, because);
    }

    [Fact]
    public void SessionLogKeepsWhatIsNotConfirmed()
    {
        var log = new SessionLog();
        for (byte index = 0; index < 5; index++) log.Append([index]);
        Assert.True(log.TryConfirm(2));
        Assert.True(log.TryConfirm(1));
        Assert.Equal([2, 3, 4], log.Unconfirmed.Select(frame => (int)frame[0]));
        Assert.False(log.TryConfirm(6));
        Assert.False(log.TryResume(1));
        Assert.True(log.TryResume(2));
        Assert.True(log.TryResume(5));
        Assert.Empty(log.Unconfirmed);
    }

    [Fact]
    public void NodeBitsAreASet()
    {
        var random = new SeededRandom(3);
        var bits = new NodeBits();
        var model = new SortedSet<int>();
        for (int round = 0; round < 2000; round++)
        {
            int slot = (int)random.NextBelow(300);
            if (random.NextBelow(2) == 0) Assert.Equal(model.Add(slot), bits.Add(slot));
            else Assert.Equal(model.Remove(slot), bits.Remove(slot));
            Assert.Equal(model.Count, bits.Count);
        }
        var walked = new List<int>();
        for (int slot = bits.Next(0); slot >= 0; slot = bits.Next(slot + 1)) walked.Add(slot);
        Assert.Equal(model, walked);
    }

    // Any cut is refused, and nothing else throws.
    private static void AssertRefusesDamage(byte[] frame, Func<byte[], bool> read)
    {
        for (int length = 1; length < frame.Length; length++)
            Assert.False(read(frame[..length]), $"{length} of {frame.Length} bytes");
        var random = new SeededRandom(1);
        for (int turn = 0; turn < 20_000; turn++)
        {
            byte[] damaged = [.. frame];
            for (ulong count = 1 + random.NextBelow(3); count > 0; count--)
            {
                damaged[1 + (int)random.NextBelow((ulong)frame.Length - 1)] = (byte)random.NextUInt64();
            }
            _ = read(damaged);
        }
    }

    private static string Hex(FrameBuilder frame) => Convert.ToHexString(frame.Span);
}
