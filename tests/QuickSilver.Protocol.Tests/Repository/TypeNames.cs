using System.Collections.Immutable;
using System.Reflection.Metadata;
using TypeNameSet = System.Collections.Immutable.ImmutableArray<string>;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>
/// Turns handles and signatures into the full names of the types they mention, outermost types for nested ones, and
/// reports every one. An array, pointer or generic instance mentions its parts.
/// </summary>
internal sealed class TypeNames(MetadataReader metadata, Action<string> report)
    : ISignatureTypeProvider<TypeNameSet, object?>
{
    public TypeNameSet Of(EntityHandle handle) => handle.Kind switch
    {
        HandleKind.TypeDefinition => GetTypeFromDefinition(metadata, (TypeDefinitionHandle)handle, 0),
        HandleKind.TypeReference => GetTypeFromReference(metadata, (TypeReferenceHandle)handle, 0),
        HandleKind.TypeSpecification => GetTypeFromSpecification(metadata, null, (TypeSpecificationHandle)handle, 0),
        _ => [],
    };

    public string OutermostOf(TypeDefinitionHandle handle)
    {
        TypeDefinition type = metadata.GetTypeDefinition(handle);
        TypeDefinitionHandle outer = type.GetDeclaringType();
        return outer.IsNil ? Join(type.Namespace, type.Name) : OutermostOf(outer);
    }

    public TypeNameSet GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
        Reported(OutermostOf(handle));

    public TypeNameSet GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind)
    {
        TypeReference type = metadata.GetTypeReference(handle);
        return type.ResolutionScope.Kind == HandleKind.TypeReference
            ? GetTypeFromReference(reader, (TypeReferenceHandle)type.ResolutionScope, rawTypeKind)
            : Reported(Join(type.Namespace, type.Name));
    }

    public TypeNameSet GetTypeFromSpecification(
        MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        metadata.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    // Only the definition of a generic instance stands for a member's owner; its arguments have been reported when they
    // were decoded.
    public TypeNameSet GetGenericInstantiation(TypeNameSet genericType, ImmutableArray<TypeNameSet> typeArguments) =>
        genericType;

    public TypeNameSet GetFunctionPointerType(MethodSignature<TypeNameSet> signature) => [];

    public TypeNameSet GetPrimitiveType(PrimitiveTypeCode typeCode) => Reported("System." + typeCode);

    public TypeNameSet GetGenericMethodParameter(object? genericContext, int index) => [];

    public TypeNameSet GetGenericTypeParameter(object? genericContext, int index) => [];

    public TypeNameSet GetModifiedType(TypeNameSet modifier, TypeNameSet unmodifiedType, bool isRequired) =>
        unmodifiedType;

    public TypeNameSet GetArrayType(TypeNameSet elementType, ArrayShape shape) => elementType;

    public TypeNameSet GetSZArrayType(TypeNameSet elementType) => elementType;

    public TypeNameSet GetByReferenceType(TypeNameSet elementType) => elementType;

    public TypeNameSet GetPointerType(TypeNameSet elementType) => elementType;

    public TypeNameSet GetPinnedType(TypeNameSet elementType) => elementType;

    private string Join(StringHandle space, StringHandle name) => space.IsNil
        ? metadata.GetString(name)
        : $"{metadata.GetString(space)}.{metadata.GetString(name)}";

    private TypeNameSet Reported(string name)
    {
        report(name);
        return [name];
    }
}
