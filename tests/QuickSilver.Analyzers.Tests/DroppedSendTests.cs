namespace QuickSilver.Analyzers.Tests;

/// <summary>QS0005.</summary>
public sealed class DroppedSendTests
{
    [Fact]
    public async Task A_send_whose_task_a_loop_drops_is_found() => Assert.Equal(
        [
            "QS0005 group.SendAsync(new byte[1].AsMemory())", """QS0005 group.SendConfirmedAsync("text")""",
            """QS0005 group.SendAsync("text")""",
        ],
        await Analysis.FindAsync("""
            void Send(Group group)
            {
                while (true) _ = group.SendAsync(new byte[1].AsMemory());
            }

            void Confirm(Group group)
            {
                for (int number = 0; number < 10; number++) group.SendConfirmedAsync("text");
                foreach (int number in new int[10])
                {
                    _ = group.SendAsync("text").AsTask();
                }
            }
            """));

    [Fact]
    public async Task A_send_that_is_awaited_kept_or_outside_a_loop_is_well() => Assert.Empty(
        await Analysis.FindAsync("""
            async Task Send(Group group, List<Task> tasks)
            {
                _ = group.SendAsync("meant");
                while (tasks.Count < 10)
                {
                    await group.SendAsync("text");
                    _ = await group.SendConfirmedAsync("text");
                    tasks.Add(group.SendConfirmedAsync("text"));
                    group.SendConfirmedAsync("text").GetAwaiter().GetResult();
                    group.TrySend("text");
                    Action later = () => _ = group.SendAsync("once");
                }
            }
            """));
}
