using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Text;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Testing;
using static QuickSilver.Tests.Api.LongMessageReading;

namespace QuickSilver.Tests.Api;

/// <summary>How long messages end: completed, failed, given up, left, or refused.</summary>
[Collection(NodeCollection.Name)]
public sealed class LongMessageEndTests
{
    [Fact]
    public async Task A_writer_that_is_completed_with_an_exception_fails_its_readers()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync(new IOException("the disk is full"));
        LongMessage message = await NextAsync(right);
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(() => ReadToEndAsync(message.Body));
        Assert.Equal(ErrorCode.LongMessageGivenUp, end.Code);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await writer.FlushAsync());
        // The failure stays: a reader that tries again sees no short success.
        Assert.Same(end, await Assert.ThrowsAsync<QuickSilverException>(async () => await message.Body.ReadAsync()));
    }

    [Fact]
    public async Task A_writer_that_has_sent_nothing_is_given_up_in_silence()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        PipeWriter writer = left.OpenWriter();
        writer.Write("unsent"u8);
        writer.Complete(new IOException());
        await left.OpenWriter().CompleteAsync();
        Assert.Equal(1UL, (await NextAsync(right)).Sequence);
    }

    [Fact]
    public async Task A_long_message_beyond_the_limit_is_refused_where_it_is_sent_and_none_is_lost()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        GroupPublisher publisher = await left.Node.OpenPublisherAsync("group");
        var open = new List<PipeWriter>();
        foreach (MessageSender sender in new MessageSender[] { left, publisher })
        {
            for (int number = 0; number < LongMessages.MaxOpenPerHandle; number++)
            {
                open.Add(sender.OpenWriter());
                await open[^1].WriteAsync(Content(10));
            }
            PipeWriter beyond = sender.OpenWriter();
            QuickSilverException told = await Assert.ThrowsAsync<QuickSilverException>(
                async () => await beyond.WriteAsync(Content(10)));
            Assert.Equal(ErrorCode.TooManyLongMessages, told.Code);
            await open[^1].CompleteAsync();
            open.RemoveAt(open.Count - 1);
            // What was refused is sent once there is room.
            await beyond.WriteAsync(Content(10));
            open.Add(beyond);
        }
        foreach (PipeWriter writer in open) await writer.CompleteAsync();
        await left.FlushAsync();
        for (int number = 0; number < (2 * LongMessages.MaxOpenPerHandle) + 2; number++)
            Assert.Equal(Content(10), await ReadToEndAsync((await NextAsync(right)).Body));
    }

    [Fact]
    public async Task A_completion_that_fails_gives_the_message_up()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100));
        var thrown = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Group own = await left.Node.JoinAsync("own");
        using IDisposable handler = own.Subscribe((in MessageRef _) =>
        {
            // More than may be unsent, on the thread that would have to send it.
            writer.Write(new byte[64 << 20]);
            ValueTask completion = writer.CompleteAsync();
            thrown.TrySetResult(Record.Exception(() => completion.GetAwaiter().GetResult()));
        });
        await own.SendAsync("now");
        Assert.IsType<InvalidOperationException>(await thrown.Task.WaitAsync(NodeRig.Patience));
        LongMessage message = await NextAsync(right);
        QuickSilverException error = await Assert.ThrowsAsync<QuickSilverException>(
            () => ReadToEndAsync(message.Body).WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.LongMessageGivenUp, error.Code);
    }

    [Fact]
    public async Task What_was_read_to_its_end_is_not_kept_though_nobody_completed_it()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        WeakReference body = await ReadWithoutCompletingAsync(left, right);
        await NodeRig.UntilAsync(
            () =>
            {
                GC.Collect();
                return !body.IsAlive;
            },
            "the body is collected");
        Assert.False(right.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_sender_that_dies_ends_its_message_with_an_error()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        QuickSilverNode sender = await rig.StartAsync(Trouble.Quick);
        Group left = await sender.JoinAsync("group");
        Group right = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group", Keeping);
        await left.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        LongMessage message = await NextAsync(right);
        Task<byte[]> reading = ReadToEndAsync(message.Body);
        await left.FlushAsync();
        await Trouble.CrashAsync(sender);
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(
            () => reading.WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.LongMessageIncomplete, end.Code);
        await Assert.ThrowsAnyAsync<QuickSilverException>(async () => await writer.CompleteAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_sender_that_leaves_gives_up_what_it_has_not_completed(bool staysWithAnotherHandle)
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        Group? second = staysWithAnotherHandle ? await left.Node.JoinAsync("group") : null;
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        LongMessage message = await NextAsync(right);
        await left.LeaveAsync().WaitAsync(NodeRig.Patience);
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(() => ReadToEndAsync(message.Body));
        Assert.Equal(ErrorCode.LongMessageGivenUp, end.Code);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await writer.WriteAsync(Content(1)));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await writer.CompleteAsync());
        Assert.Throws<ObjectDisposedException>(left.OpenWriter);
        if (second is not null) Assert.Equal(2, (await second.SendConfirmedAsync("still here")).Confirmed);
    }

    [Fact]
    public async Task A_receiver_that_leaves_ends_its_readers()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        await left.OpenWriter().CompleteAsync();
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        LongMessage complete = await NextAsync(right);
        LongMessage message = await NextAsync(right);
        await right.LeaveAsync().WaitAsync(NodeRig.Patience);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => ReadToEndAsync(message.Body));
        Assert.Empty(await ReadToEndAsync(complete.Body));
        Assert.Throws<ObjectDisposedException>(() => right.ReadLongMessagesAsync());
        await writer.CompleteAsync();
    }

    [Fact]
    public async Task A_member_that_joins_within_a_long_message_sees_nothing_of_it()
    {
        await using var rig = new NodeRig();
        (Group left, _) = await rig.StartPairAsync();
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        Group late = await (await rig.StartAsync()).JoinAsync("group", Keeping);
        await left.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync();
        PipeWriter next = left.OpenWriter();
        await next.WriteAsync("next"u8.ToArray());
        await next.CompleteAsync();
        Assert.Equal("next", Encoding.ASCII.GetString(await ReadToEndAsync((await NextAsync(late)).Body)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> ReadWithoutCompletingAsync(Group left, Group right)
    {
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync();
        LongMessage message = await NextAsync(right);
        using var copy = new MemoryStream();
        await message.Body.CopyToAsync(copy);
        Assert.Equal(100_000, copy.Length);
        return new WeakReference(message.Body);
    }
}
