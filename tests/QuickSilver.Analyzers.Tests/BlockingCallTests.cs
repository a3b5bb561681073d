namespace QuickSilver.Analyzers.Tests;

/// <summary>QS0001.</summary>
public sealed class BlockingCallTests
{
    [Fact]
    public async Task Calls_that_block_in_inline_handlers_and_feeds_are_found() => Assert.Equal(
        [
            "QS0001 Thread.Sleep(1)", "QS0001 Task.Delay(1).Wait()", "QS0001 work.Result",
            "QS0001 work.GetAwaiter().GetResult()", "QS0001 gate.Wait()", "QS0001 Thread.Sleep(2)",
            "QS0001 Thread.Sleep(3)",
        ],
        await Analysis.FindAsync("""
            GroupOptions Options(Task<int> work, SemaphoreSlim gate) => new()
            {
                OnMessage = (in MessageRef message) =>
                {
                    Thread.Sleep(1);
                    Task.Delay(1).Wait();
                    _ = work.Result;
                    work.GetAwaiter().GetResult();
                    gate.Wait();
                },
                OnBatch = OnBatch,
            };

            static void OnBatch(in MessageBatch batch) => Thread.Sleep(2);

            sealed class Feed : IMessageFeed
            {
                public bool TryWriteNext(IBufferWriter<byte> message)
                {
                    Thread.Sleep(3);
                    return false;
                }
            }
            """));

    [Fact]
    public async Task What_a_handler_hands_on_or_others_run_may_block() => Assert.Empty(await Analysis.FindAsync("""
            GroupOptions Options() => new()
            {
                OnMessage = (in MessageRef message) => Task.Run(() => Thread.Sleep(1)),
            };

            static void NoHandler() => Thread.Sleep(1);

            async Task Read(Group group)
            {
                await foreach (Message message in group.ReadAllAsync()) Task.Delay(1).Wait();
            }
            """));
}
