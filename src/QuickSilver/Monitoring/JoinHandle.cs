using QuickSilver.Runtime;

namespace QuickSilver.Monitoring;

/// <summary>Joins a group with a reserved name, or opens a publisher of it; any thread.</summary>
/// <param name="name">The group's name.</param>
/// <param name="isPublisher">True for a publisher.</param>
/// <param name="cancellationToken">Cancels the wait.</param>
/// <returns>The handle, which has joined.</returns>
internal delegate Task<GroupHandle> JoinHandle(string name, bool isPublisher, CancellationToken cancellationToken);
